//! The numbers on the status bar.

use crate::describe::{Field, Fields, Form, Mistake, Name, Sink, TypeSchema};
use crate::format::dm2::{Bytes as Wire, Dialect, StatsKind};
use crate::wire::{ByteReader, ByteWriter, Fault, Scalar};

/// The numbers on the status bar that changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stats {
    /// A bit for each number that is there; in KMQuake2 for each eight of them, 32 apart.
    pub mask: u64,
    /// The numbers, lowest first.
    pub values: Vec<i16>,
    /// Bytes of a mask of variable length beyond those that it needs; 0 in most files.
    pub spare_bytes: u8,
}

macro_rules! stat_names {
    ($($n:literal)*) => { [$(Name::new(concat!("stats[", $n, "]"))),*] };
}

impl Stats {
    const NAMES: [Name; 256] = stat_names!(
        0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39
        40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76
        77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99 100 101 102 103 104 105 106 107 108 109
        110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136
        137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163
        164 165 166 167 168 169 170 171 172 173 174 175 176 177 178 179 180 181 182 183 184 185 186 187 188 189 190
        191 192 193 194 195 196 197 198 199 200 201 202 203 204 205 206 207 208 209 210 211 212 213 214 215 216 217
        218 219 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234 235 236 237 238 239 240 241 242 243 244
        245 246 247 248 249 250 251 252 253 254 255
    );
    const LIST: Name = Name::new("stats");
    const ITEM: Name = Name::new("stat");
    const INDEX: Name = Name::new("index");
    const VALUE: Name = Name::new("value");
    const SPARE: Name = Name::with("stats_spare_bytes", "");
    /// Numbers for each bit of the mask in KMQuake2.
    const TIMES: usize = 8;

    /// The number in a word like `stats[12]`.
    #[inline]
    fn number(word: &[u8]) -> Option<usize> {
        match word.strip_prefix(b"stats[")?.strip_suffix(b"]")? {
            [a @ b'0'..=b'9'] => Some(usize::from(a - b'0')),
            digits @ [b'1'..=b'9', ..] => std::str::from_utf8(digits).ok()?.parse::<u8>().ok().map(usize::from),
            _ => None,
        }
    }

    /// Of `values` those that are told; in KMQuake2 each brings seven others along.
    pub fn of(values: &[i16; 256], told: impl Fn(usize) -> bool, kind: StatsKind) -> Self {
        let (count, width) = Self::room(kind);
        let mask = (0..count).filter(|n| told(*n)).fold(0, |mask, n| mask | 1 << (n % width));
        let sent = values.iter().take(count).enumerate().filter(|(n, _)| mask >> (n % width) & 1 == 1);
        Stats { mask, values: sent.map(|(_, value)| *value).collect(), spare_bytes: 0 }
    }

    /// How many numbers there are, and bits of the mask.
    fn room(kind: StatsKind) -> (usize, usize) {
        match kind {
            StatsKind::Standard => (32, 32),
            StatsKind::EightTimes => (256, 32),
            StatsKind::Variable | StatsKind::Twice => (64, 64),
        }
    }

    /// The numbers with their places.
    pub fn iter(&self) -> impl Iterator<Item = (usize, i16)> + '_ {
        let (count, width) = match self.values.len() > self.mask.count_ones() as usize {
            true => (256, 32),
            false => (64, 64),
        };
        (0..count).filter(move |n| self.mask >> (n % width) & 1 == 1).zip(self.values.iter().copied())
    }

    /// True when a parsed statement holds any of the numbers.
    pub(crate) fn any_given(f: &Fields<'_, '_>) -> bool {
        f.children().any(|c| c.keyword().starts_with(b"stats") && !c.is_used())
    }

    fn read_mask(r: &mut ByteReader<'_>) -> Result<(u64, u8), Fault> {
        let (mut mask, mut bytes) = (0, 0);
        loop {
            let byte = u64::from(r.u8()?);
            let part = byte & 0x7F;
            if bytes == 9 && part > 1 || bytes > 9 {
                return Err(r.malformed("a mask of more than 64 bits"));
            }
            mask |= part << (7 * bytes);
            bytes += 1;
            if byte & 0x80 == 0 {
                return Ok((mask, bytes - Self::mask_bytes(mask)));
            }
        }
    }

    /// Bytes that a mask of variable length needs.
    fn mask_bytes(mask: u64) -> u8 {
        (64 - mask.leading_zeros()).div_ceil(7).max(1) as u8
    }

    fn read_twice(r: &mut ByteReader<'_>) -> Result<Self, Fault> {
        let mut all = Stats::default();
        for shift in [0, 32] {
            let mask = r.u32()?;
            all.mask |= u64::from(mask) << shift;
            for _ in 0..mask.count_ones() {
                all.values.push(r.i16()?);
            }
        }
        Ok(all)
    }

    fn write_mask(&self, w: &mut ByteWriter) -> Result<(), Fault> {
        let bytes = Self::mask_bytes(self.mask).saturating_add(self.spare_bytes);
        if bytes > 10 {
            return Err(Fault::unwritable("a mask of more than ten bytes"));
        }
        for n in 0..bytes {
            let more = if n + 1 < bytes { 0x80 } else { 0 };
            w.u8((self.mask >> (7 * n)) as u8 & 0x7F | more);
        }
        Ok(())
    }
}

impl<'a> Field<'a, Wire> for Stats {
    const TYPE: TypeSchema =
        TypeSchema::new("mask, u32 or 7 bits a byte, i16 each; in the re-release twice u32, i16 each", "integer", "");
    #[inline]
    fn read(r: &mut ByteReader<'a>, d: &Dialect) -> Result<Self, Fault> {
        let (mask, spare_bytes) = match d.layout.stats {
            StatsKind::Variable => Self::read_mask(r)?,
            StatsKind::Twice => return Self::read_twice(r),
            _ => (u64::from(r.u32()?), 0),
        };
        if mask == 0 {
            return Ok(Stats { spare_bytes, ..Stats::default() });
        }
        let times = if d.layout.stats == StatsKind::EightTimes { Self::TIMES } else { 1 };
        let values = (0..mask.count_ones() as usize * times).map(|_| r.i16()).collect::<Result<_, _>>()?;
        Ok(Stats { mask, values, spare_bytes })
    }
    fn write(&self, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        let times = if d.layout.stats == StatsKind::EightTimes { Self::TIMES } else { 1 };
        if self.mask.count_ones() as usize * times != self.values.len() {
            return Err(Fault::unwritable("stats with a mask that does not fit them"));
        }
        match (d.layout.stats, u32::try_from(self.mask), self.spare_bytes) {
            (StatsKind::Twice, _, 0) => {
                let (low, high) = self.values.split_at((self.mask as u32).count_ones() as usize);
                for (mask, values) in [(self.mask as u32, low), ((self.mask >> 32) as u32, high)] {
                    w.u32(mask);
                    values.iter().for_each(|v| w.i16(*v));
                }
                return Ok(());
            }
            (StatsKind::Variable, ..) => self.write_mask(w)?,
            (_, Ok(mask), 0) => w.u32(mask),
            _ => return Err(Fault::unwritable("stats beyond those of this protocol")),
        }
        self.values.iter().for_each(|v| w.i16(*v));
        Ok(())
    }
    fn show<S: Sink>(&self, _: Name, s: &mut S) {
        if s.form() != Form::Lmpc {
            for (n, value) in self.iter() {
                if let Some(name) = Self::NAMES.get(n) {
                    s.value(*name, Scalar::Int(i64::from(value)));
                }
            }
            if self.spare_bytes != 0 {
                s.value(Self::SPARE, Scalar::Int(i64::from(self.spare_bytes)));
            }
            return;
        }
        if self.mask == 0 {
            return;
        }
        s.group(Self::LIST);
        for (n, value) in self.iter() {
            s.group(Self::ITEM);
            s.value(Self::INDEX, Scalar::Int(n as i64));
            s.value(Self::VALUE, Scalar::Int(i64::from(value)));
            s.close();
        }
        s.close();
    }
    fn parse(f: &mut Fields<'a, '_>, _: Name, d: &Dialect) -> Result<Self, Mistake> {
        let mut slots = [None; 256];
        let (count, width) = Self::room(d.layout.stats);
        // LMPC's form first.
        if let Some(list) = f.take_child(Self::LIST) {
            for mut item in list.children() {
                if !Self::ITEM.is(item.keyword()) {
                    return Err(item.mistake("stats are made of stat { index N; value N; }"));
                }
                let n = item.take(Self::INDEX)?.int(0, count as i64 - 1)? as usize;
                slots[n] = Some(item.take(Self::VALUE)?.int(-32_768, 65_535)? as i16);
                item.finish()?;
            }
        }
        // One look at each child: nearly all of the names are absent.
        let mut named = [false; 256];
        for mut child in f.children() {
            let Some(n) = Self::number(child.keyword()).filter(|n| *n < count) else { continue };
            // One that stands twice is left, which is a mistake.
            if let (false, Some(name)) = (std::mem::replace(&mut named[n], true), Self::NAMES.get(n)) {
                slots[n] = Some(child.take(*name)?.int(-32_768, 65_535)? as i16);
            }
        }
        let mask = slots.iter().enumerate().fold(0, |mask, (n, slot)| mask | u64::from(slot.is_some()) << (n % width));
        let spare_bytes = if f.has(Self::SPARE) { f.take(Self::SPARE)?.int(0, 9)? as u8 } else { 0 };
        Ok(Stats { mask, values: slots.iter().flatten().copied().collect(), spare_bytes })
    }
    fn given(_: &Fields<'a, '_>, _: Name, _: &Dialect) -> bool {
        true
    }
}
