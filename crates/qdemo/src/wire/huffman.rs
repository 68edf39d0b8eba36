//! Quake III's Huffman code: a fixed code for the 256 byte values, at most 11 bits long.
//!
//! Quake III derives it at start-up by feeding an adaptive (FGK) Huffman tree with how often each byte occurred in some
//! recordings. The tree never changes afterwards, so the code is a constant. A test derives it again.

/// The code of each byte value: its bits, the first of the stream lowest, and how many there are.
pub(super) const CODES: [(u16, u8); 256] = [
    (0x002, 2),
    (0x01B, 5),
    (0x048, 7),
    (0x06C, 7),
    (0x0A1, 8),
    (0x011, 8),
    (0x010, 7),
    (0x03F, 6),
    (0x015, 5),
    (0x034, 7),
    (0x069, 7),
    (0x00B, 7),
    (0x013, 7),
    (0x02D, 6),
    (0x039, 8),
    (0x0AC, 9),
    (0x025, 7),
    (0x058, 9),
    (0x1F0, 9),
    (0x1F8, 9),
    (0x1DD, 10),
    (0x3F3, 10),
    (0x22B, 10),
    (0x323, 10),
    (0x0F4, 9),
    (0x18D, 10),
    (0x0AB, 10),
    (0x363, 10),
    (0x1EB, 10),
    (0x043, 8),
    (0x04F, 9),
    (0x0D4, 8),
    (0x037, 6),
    (0x0D3, 10),
    (0x044, 9),
    (0x2CD, 10),
    (0x3C5, 10),
    (0x3F9, 10),
    (0x30D, 10),
    (0x3CD, 10),
    (0x094, 9),
    (0x1AC, 10),
    (0x033, 10),
    (0x014, 10),
    (0x271, 10),
    (0x2F0, 10),
    (0x1F4, 9),
    (0x078, 8),
    (0x027, 7),
    (0x0C3, 8),
    (0x0EF, 8),
    (0x197, 9),
    (0x053, 8),
    (0x0B1, 8),
    (0x00D, 9),
    (0x161, 9),
    (0x007, 9),
    (0x0F1, 9),
    (0x199, 9),
    (0x191, 10),
    (0x123, 10),
    (0x0BC, 9),
    (0x144, 9),
    (0x1F3, 10),
    (0x0CF, 8),
    (0x050, 7),
    (0x07C, 7),
    (0x004, 7),
    (0x021, 8),
    (0x051, 8),
    (0x080, 9),
    (0x070, 9),
    (0x13D, 9),
    (0x063, 10),
    (0x2D7, 10),
    (0x371, 10),
    (0x19D, 9),
    (0x2AB, 10),
    (0x1C7, 10),
    (0x333, 10),
    (0x12C, 9),
    (0x09D, 10),
    (0x16B, 10),
    (0x36B, 10),
    (0x1D3, 10),
    (0x171, 10),
    (0x1E3, 10),
    (0x233, 10),
    (0x0D7, 10),
    (0x2CB, 10),
    (0x170, 9),
    (0x0A8, 9),
    (0x0C7, 9),
    (0x105, 9),
    (0x0EB, 9),
    (0x0D8, 8),
    (0x0F3, 9),
    (0x03C, 8),
    (0x1AB, 9),
    (0x18F, 9),
    (0x097, 9),
    (0x030, 7),
    (0x041, 8),
    (0x14F, 9),
    (0x01C, 6),
    (0x028, 8),
    (0x0BD, 9),
    (0x0C4, 9),
    (0x098, 8),
    (0x08F, 9),
    (0x00C, 8),
    (0x0B3, 8),
    (0x085, 8),
    (0x08C, 8),
    (0x047, 8),
    (0x079, 8),
    (0x059, 7),
    (0x040, 7),
    (0x017, 8),
    (0x019, 8),
    (0x04B, 8),
    (0x0E1, 8),
    (0x0A3, 8),
    (0x073, 8),
    (0x06F, 8),
    (0x068, 7),
    (0x008, 7),
    (0x065, 7),
    (0x01F, 6),
    (0x029, 7),
    (0x04C, 7),
    (0x07D, 7),
    (0x00F, 8),
    (0x083, 8),
    (0x001, 8),
    (0x087, 8),
    (0x067, 8),
    (0x0E7, 8),
    (0x057, 8),
    (0x074, 8),
    (0x1CB, 9),
    (0x1C4, 9),
    (0x081, 9),
    (0x04D, 9),
    (0x131, 9),
    (0x163, 10),
    (0x180, 9),
    (0x3D7, 10),
    (0x02B, 10),
    (0x145, 10),
    (0x06B, 10),
    (0x03D, 10),
    (0x32B, 10),
    (0x0F9, 10),
    (0x0E3, 10),
    (0x245, 10),
    (0x12B, 10),
    (0x031, 10),
    (0x3EB, 10),
    (0x1B9, 10),
    (0x114, 9),
    (0x1F9, 10),
    (0x133, 10),
    (0x02C, 10),
    (0x2DD, 10),
    (0x1C1, 10),
    (0x31D, 10),
    (0x1D1, 10),
    (0x138, 9),
    (0x061, 10),
    (0x2E3, 10),
    (0x345, 10),
    (0x26B, 10),
    (0x0CD, 10),
    (0x0CB, 10),
    (0x14D, 10),
    (0x038, 9),
    (0x3C1, 10),
    (0x23D, 10),
    (0x3BC, 10),
    (0x0C5, 10),
    (0x3AC, 10),
    (0x3E3, 10),
    (0x299, 10),
    (0x3D3, 10),
    (0x214, 10),
    (0x203, 10),
    (0x1BC, 10),
    (0x29D, 10),
    (0x381, 10),
    (0x263, 10),
    (0x08D, 10),
    (0x054, 8),
    (0x103, 9),
    (0x05D, 8),
    (0x020, 6),
    (0x009, 7),
    (0x3C7, 10),
    (0x307, 10),
    (0x0B8, 8),
    (0x1F1, 9),
    (0x22C, 10),
    (0x045, 10),
    (0x003, 10),
    (0x11D, 10),
    (0x1C5, 10),
    (0x34D, 10),
    (0x01D, 10),
    (0x000, 9),
    (0x3B9, 10),
    (0x0DD, 10),
    (0x181, 10),
    (0x10D, 10),
    (0x0B9, 10),
    (0x1CD, 10),
    (0x394, 10),
    (0x1BD, 10),
    (0x194, 10),
    (0x38D, 10),
    (0x158, 10),
    (0x3BD, 10),
    (0x0C1, 10),
    (0x3DD, 10),
    (0x0F8, 10),
    (0x0D1, 9),
    (0x091, 9),
    (0x099, 10),
    (0x2F8, 10),
    (0x023, 10),
    (0x071, 10),
    (0x2D3, 10),
    (0x391, 10),
    (0x049, 7),
    (0x231, 10),
    (0x107, 10),
    (0x261, 10),
    (0x223, 10),
    (0x018, 8),
    (0x205, 10),
    (0x2C1, 10),
    (0x1D7, 10),
    (0x0F0, 10),
    (0x2C5, 10),
    (0x300, 10),
    (0x3D1, 10),
    (0x3A8, 10),
    (0x21D, 10),
    (0x500, 11),
    (0x005, 10),
    (0x358, 10),
    (0x2F9, 10),
    (0x1A8, 10),
    (0x2B9, 10),
    (0x28D, 10),
    (0x02F, 7),
    (0x024, 6),
];

/// The escape for values not seen yet: in the tree, but in no stream that is in step.
#[cfg(test)]
pub(super) const ESCAPE: (u16, u8) = (0x100, 11);

/// Bits of the longest code.
pub(super) const LONGEST: u32 = 11;

/// What the next bits of a stream begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Symbol {
    /// The byte value.
    pub(super) value: u8,
    /// Length of its code in bits; 0 for the escape.
    pub(super) length: u8,
}

/// The symbol for each value of the next [`LONGEST`] bits.
pub(super) static SYMBOLS: [Symbol; 1 << LONGEST] = {
    let mut table = [Symbol { value: 0, length: 0 }; 1 << LONGEST];
    let mut value = 0;
    while value < 256 {
        let (code, length) = CODES[value];
        let mut rest = 0;
        while rest < 1 << (LONGEST - length as u32) {
            table[(code as usize) | rest << length] = Symbol { value: value as u8, length };
            rest += 1;
        }
        value += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    /// How often each byte value occurred (dm_68 document, section 7, and the engine's `huffman.c`).
    const COUNTS: [u32; 256] = [
        250_315, 41_193, 6292, 7106, 3730, 3750, 6110, 23_283, 33_317, 6950, 7838, 9714, 9257, 17_259, 3949, 1778,
        8288, 1604, 1590, 1663, 1100, 1213, 1238, 1134, 1749, 1059, 1246, 1149, 1273, 4486, 2805, 3472, 21_819, 1159,
        1670, 1066, 1043, 1012, 1053, 1070, 1726, 888, 1180, 850, 960, 780, 1752, 3296, 10_630, 4514, 5881, 2685, 4650,
        3837, 2093, 1867, 2584, 1949, 1972, 940, 1134, 1788, 1670, 1206, 5719, 6128, 7222, 6654, 3710, 3795, 1492,
        1524, 2215, 1140, 1355, 971, 2180, 1248, 1328, 1195, 1770, 1078, 1264, 1266, 1168, 965, 1155, 1186, 1347, 1228,
        1529, 1600, 2617, 2048, 2546, 3275, 2410, 3585, 2504, 2800, 2675, 6146, 3663, 2840, 14_253, 3164, 2221, 1687,
        3208, 2739, 3512, 4796, 4091, 3515, 5288, 4016, 7937, 6031, 5360, 3924, 4892, 3743, 4566, 4807, 5852, 6400,
        6225, 8291, 23_243, 7838, 7073, 8935, 5437, 4483, 3641, 5256, 5312, 5328, 5370, 3492, 2458, 1694, 1821, 2121,
        1916, 1149, 1516, 1367, 1236, 1029, 1258, 1104, 1245, 1006, 1149, 1025, 1241, 952, 1287, 997, 1713, 1009, 1187,
        879, 1099, 929, 1078, 951, 1656, 930, 1153, 1030, 1262, 1062, 1214, 1060, 1621, 930, 1106, 912, 1034, 892,
        1158, 990, 1175, 850, 1121, 903, 1087, 920, 1144, 1056, 3462, 2240, 4397, 12_136, 7758, 1345, 1307, 3278, 1950,
        886, 1023, 1112, 1077, 1042, 1061, 1071, 1484, 1001, 1096, 915, 1052, 995, 1070, 876, 1111, 851, 1059, 805,
        1112, 923, 1103, 817, 1899, 1872, 976, 841, 1127, 956, 1159, 950, 7791, 954, 1289, 933, 1127, 3207, 1020, 927,
        1355, 768, 1040, 745, 952, 805, 1073, 740, 1013, 805, 1008, 796, 996, 1057, 11_457, 13_504,
    ];

    /// An adaptive Huffman tree: nodes in an order in which weights never rise, the root first.
    struct Adaptive {
        nodes: Vec<Node>,
        /// Node at each place of the order.
        order: Vec<usize>,
        leaves: [Option<usize>; 256],
        escape: usize,
    }

    #[derive(Default, Clone)]
    struct Node {
        weight: u32,
        parent: Option<usize>,
        children: Option<[usize; 2]>,
        place: usize,
    }

    impl Adaptive {
        fn new() -> Self {
            Adaptive { nodes: vec![Node::default()], order: vec![0], leaves: [None; 256], escape: 0 }
        }

        fn add(&mut self, value: usize) {
            let leaf = match self.leaves[value] {
                Some(leaf) => leaf,
                None => self.grow(value),
            };
            let mut at = Some(leaf);
            while let Some(node) = at {
                // Before a weight grows, the node becomes the first of those with its weight.
                let place = self.nodes[node].place;
                let weight = self.nodes[node].weight;
                let same = self.order[..place].iter().rev().take_while(|n| self.nodes[**n].weight == weight).count();
                let leader = self.order[place - same];
                if leader != node && Some(leader) != self.nodes[node].parent {
                    self.swap(leader, node);
                }
                self.nodes[node].weight += 1;
                at = self.nodes[node].parent;
            }
        }

        /// Puts a new leaf beside the escape, below a new node in the escape's place.
        fn grow(&mut self, value: usize) -> usize {
            let (inner, leaf, old) = (self.nodes.len(), self.nodes.len() + 1, self.nodes[self.escape].clone());
            self.replace(old.parent, self.escape, inner);
            self.nodes.push(Node { children: Some([self.escape, leaf]), ..old.clone() });
            self.order[old.place] = inner;
            self.nodes.push(Node { parent: Some(inner), place: self.order.len(), ..Node::default() });
            self.order.push(leaf);
            self.nodes[self.escape] = Node { parent: Some(inner), place: self.order.len(), ..Node::default() };
            self.order.push(self.escape);
            self.leaves[value] = Some(leaf);
            leaf
        }

        fn replace(&mut self, parent: Option<usize>, old: usize, new: usize) {
            if let Some(children) = parent.and_then(|p| self.nodes[p].children.as_mut()) {
                children.iter_mut().filter(|c| **c == old).for_each(|c| *c = new);
            }
        }

        fn swap(&mut self, a: usize, b: usize) {
            let (above_a, above_b) = (self.nodes[a].parent, self.nodes[b].parent);
            // Twins below one parent: a third number keeps them apart while they change places.
            self.replace(above_a, a, usize::MAX);
            self.replace(above_b, b, a);
            self.replace(above_a, usize::MAX, b);
            (self.nodes[a].parent, self.nodes[b].parent) = (above_b, above_a);
            let (place_a, place_b) = (self.nodes[a].place, self.nodes[b].place);
            (self.nodes[a].place, self.nodes[b].place) = (place_b, place_a);
            (self.order[place_a], self.order[place_b]) = (b, a);
        }

        /// The way from the root to a node: left 0, right 1, the first step lowest.
        fn code(&self, node: usize) -> (u16, u8) {
            let (mut code, mut length, mut at) = (0, 0, node);
            while let Some(parent) = self.nodes[at].parent {
                let right = self.nodes[parent].children.is_some_and(|c| c[1] == at);
                code = code << 1 | u16::from(right);
                length += 1;
                at = parent;
            }
            (code, length)
        }
    }

    #[test]
    fn the_code_follows_from_the_counts() {
        let mut tree = Adaptive::new();
        for (value, count) in COUNTS.iter().enumerate() {
            (0..*count).for_each(|_| tree.add(value));
        }
        for (value, code) in CODES.iter().enumerate() {
            assert_eq!(tree.leaves[value].map(|leaf| tree.code(leaf)), Some(*code), "byte {value}");
        }
        assert_eq!(tree.code(tree.escape), ESCAPE);
    }

    /// Codes of 257 leaves fill the space exactly, so every run of bits begins with one of them.
    #[test]
    fn the_code_is_complete() {
        let share = |length: u8| 1u32 << (LONGEST - u32::from(length));
        let all: u32 = CODES.iter().map(|(_, length)| share(*length)).sum();
        assert_eq!(all + share(ESCAPE.1), 1 << LONGEST);
        assert_eq!(SYMBOLS.iter().filter(|s| s.length == 0).count() as u32, share(ESCAPE.1));
    }
}
