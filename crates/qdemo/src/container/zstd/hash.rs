//! XXH64 with the seed 0: the checksum of a frame has its lowest 32 bits (3.1.1).

const PRIMES: [u64; 5] =
    [0x9E37_79B1_85EB_CA87, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x85EB_CA77_C2B2_AE63, 0x27D4_EB2F_1656_67C5];

/// Takes bytes in, 32 at a time.
pub(super) struct Hash {
    lanes: [u64; 4],
    rest: Vec<u8>,
    len: u64,
}

fn round(lane: u64, input: u64) -> u64 {
    lane.wrapping_add(input.wrapping_mul(PRIMES[1])).rotate_left(31).wrapping_mul(PRIMES[0])
}

fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte))
}

impl Hash {
    pub(super) fn new() -> Self {
        let lanes = [PRIMES[0].wrapping_add(PRIMES[1]), PRIMES[1], 0, 0u64.wrapping_sub(PRIMES[0])];
        Hash { lanes, rest: Vec::new(), len: 0 }
    }

    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.len += bytes.len() as u64;
        self.rest.extend_from_slice(bytes);
        let mut stripes = self.rest.chunks_exact(32);
        for stripe in &mut stripes {
            for (lane, bytes) in self.lanes.iter_mut().zip(stripe.chunks_exact(8)) {
                *lane = round(*lane, word(bytes));
            }
        }
        self.rest = stripes.remainder().to_vec();
    }

    pub(super) fn finish(&self) -> u64 {
        let [a, b, c, d] = self.lanes;
        let mut hash = PRIMES[4];
        if self.len >= 32 {
            hash = a.rotate_left(1).wrapping_add(b.rotate_left(7)).wrapping_add(c.rotate_left(12));
            hash = hash.wrapping_add(d.rotate_left(18));
            for lane in self.lanes {
                hash = (hash ^ round(0, lane)).wrapping_mul(PRIMES[0]).wrapping_add(PRIMES[3]);
            }
        }
        hash = hash.wrapping_add(self.len);
        let mut eights = self.rest.chunks_exact(8);
        for bytes in &mut eights {
            hash = (hash ^ round(0, word(bytes))).rotate_left(27).wrapping_mul(PRIMES[0]).wrapping_add(PRIMES[3]);
        }
        let mut rest = eights.remainder();
        if let Some((four, more)) = rest.split_at_checked(4) {
            hash = (hash ^ word(four).wrapping_mul(PRIMES[0])).rotate_left(23).wrapping_mul(PRIMES[1]);
            hash = hash.wrapping_add(PRIMES[2]);
            rest = more;
        }
        for &byte in rest {
            hash = (hash ^ u64::from(byte).wrapping_mul(PRIMES[4])).rotate_left(11).wrapping_mul(PRIMES[0]);
        }
        hash = (hash ^ hash >> 33).wrapping_mul(PRIMES[1]);
        hash = (hash ^ hash >> 29).wrapping_mul(PRIMES[2]);
        hash ^ hash >> 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values that the reference gives (xxHash's own sanity checks and documentation).
    #[test]
    fn the_hash_is_that_of_the_reference() {
        let hash = |bytes: &[u8]| {
            let mut hash = Hash::new();
            hash.add(bytes);
            hash.finish()
        };
        assert_eq!(hash(b""), 0xEF46_DB37_51D8_E999);
        assert_eq!(hash(b"a"), 0xD24E_C4F1_A98C_6E5B);
        assert_eq!(hash(b"abc"), 0x44BC_2CF5_AD77_0999);
        assert_eq!(hash(b"Nobody inspects the spammish repetition"), 0xFBCE_A83C_8A37_8BF1);
    }
}
