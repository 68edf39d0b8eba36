//! Files that qdemo does not read, named by what stands in them, so that nobody takes them for damaged demos.
//!
//! Only what the bytes show is said. The magic numbers are those of the formats' own documents and sources, compared with
//! the list of `file` (archives), and with the readers of other projects (recordings). A recording of Quake III begins with
//! the number of its first packet, which may be any: where a magic number has two bytes, what follows is looked at too.

/// What a file is that begins with these bytes, in words, when it is something known that qdemo does not read.
/// [`PREFIX`] bytes are enough; more of them make it surer.
pub(crate) fn name(beginning: &[u8]) -> Option<String> {
    if let Some(recording) = recording(beginning) {
        return Some(format!("this is a recording of {recording}, not of the Quake family that qdemo reads"));
    }
    if let Some(archive) = archive(beginning) {
        return Some(format!("this is {archive}, which qdemo does not unpack: unpack it first"));
    }
    let known = OTHERS.iter().find(|(magic, _)| beginning.starts_with(magic));
    known.map(|(_, what)| format!("begins like {what}"))
}

/// So many first bytes are enough for [`name`].
pub(crate) const PREFIX: usize = 64;

/// An archive, by its first bytes.
pub(crate) fn archive(beginning: &[u8]) -> Option<&'static str> {
    let known = ARCHIVES.iter().find(|(at, magic, _)| beginning.get(*at..).is_some_and(|b| b.starts_with(magic)));
    let looks = LOOKS.iter().find(|look| (look.begins)(beginning));
    known.map(|(.., what)| *what).or(looks.map(|look| look.what))
}

/// Offset, magic number, name.
const ARCHIVES: [(usize, &[u8], &str); 13] = [
    (0, b"Rar!\x1A\x07\x00", "a RAR archive"),
    (0, b"Rar!\x1A\x07\x01\x00", "a RAR archive (version 5)"),
    (7, b"**ACE**", "an ACE archive"),
    (0, b"MSCF\0\0\0\0", "a CAB archive"),
    (20, &[0xDC, 0xA7, 0xC4, 0xFD], "a ZOO archive"),
    (0, b"SIT!", "a StuffIt archive"),
    (0, b"StuffIt (c)", "a StuffIt archive"),
    (0, &[0x04, 0x22, 0x4D, 0x18], "a file packed by LZ4"),
    (0, b"LZIP\x01", "a file packed by lzip"),
    (0, b"070701", "a cpio archive"),
    (0, b"070707", "a cpio archive"),
    (0, b"!<arch>\n", "an ar archive or a Debian package"),
    (0, b"xar!", "a XAR archive"),
];

/// An archive whose magic number is short, by more of its bytes.
struct Look {
    begins: fn(&[u8]) -> bool,
    what: &'static str,
}

const LOOKS: [Look; 3] = [
    Look { begins: is_lha, what: "an LHA (lzh) archive" },
    Look { begins: is_arj, what: "an ARJ archive" },
    Look { begins: is_compress, what: "a file packed by compress (.Z)" },
];

/// LHA has the name of its method between two minus signs: -lh5-, -lzs-.
fn is_lha(beginning: &[u8]) -> bool {
    matches!(beginning, [_, _, b'-', b'l', b'h' | b'z', _, b'-', ..])
}

/// ARJ (`technote.txt` of ARJ): the size of a header of at most 2,600 bytes; that of its first part, at least 30, and 5 bytes
/// behind that the type, which is 2 of an archive's own header; behind the header its CRC-32.
fn is_arj(beginning: &[u8]) -> bool {
    const FIRST: u8 = 30;
    const MOST: usize = 2600;
    let [0x60, 0xEA, a, b, rest @ ..] = beginning else { return false };
    let size = usize::from(u16::from_le_bytes([*a, *b]));
    let first_fits = rest.first().is_none_or(|first| *first >= FIRST && usize::from(*first) <= size);
    let crc = |header: &[u8]| {
        let mut crc = flate2::Crc::new();
        crc.update(header);
        crc.sum()
    };
    let told = rest.get(size..).and_then(|behind| behind.first_chunk()).map(|told| u32::from_le_bytes(*told));
    (usize::from(FIRST)..=MOST).contains(&size)
        && first_fits
        && rest.get(6).is_none_or(|kind| *kind == 2)
        && told.is_none_or(|told| rest.get(..size).is_some_and(|header| crc(header) == told))
}

/// compress (`compress.c` of ncompress): the largest width of a code, 9 to 16 bits, and whether codes begin anew; then codes,
/// of 9 bits at first. The first of them is a byte, and each later one refers to what was told in front of it.
fn is_compress(beginning: &[u8]) -> bool {
    /// Codes that are no byte: the first to be told, where 256 stands for the beginning.
    const FIRST: u32 = 257;
    const WIDTH: usize = 9;
    /// Behind these, codes are wider.
    const CODES: usize = 250;
    let [0x1F, 0x9D, rest @ ..] = beginning else { return false };
    let Some((flags, data)) = rest.split_first() else { return true };
    let code = |n: usize| {
        let (at, shift) = (n * WIDTH / 8, n * WIDTH % 8);
        let bytes = data.get(at..at + 2)?.first_chunk()?;
        Some(u32::from(u16::from_le_bytes(*bytes)) >> shift & 0x1FF)
    };
    let codes = (0..CODES).map_while(code);
    (9..=16).contains(&(flags & 0x1F))
        && flags & 0x60 == 0
        && codes.zip(FIRST - 1..).all(|(code, next)| code < next || code == next && next >= FIRST)
}

/// A recording of another engine.
fn recording(beginning: &[u8]) -> Option<String> {
    let number = |at: usize| Some(i32::from_le_bytes(*beginning.get(at..)?.first_chunk()?));
    let protocols = |at: usize| match (number(at), number(at + 4)) {
        (Some(format), Some(network)) => format!(", protocol {format}, network protocol {network}"),
        (Some(format), None) => format!(", protocol {format}"),
        _ => String::new(),
    };
    if beginning.starts_with(b"HLDEMO\0") {
        return Some(format!("Half-Life (HLDEMO{})", protocols(8)));
    }
    if beginning.starts_with(b"HL2DEMO\0") {
        return Some(format!("the Source engine (HL2DEMO{})", protocols(8)));
    }
    if beginning.starts_with(b"PBUFDEM\0") {
        return Some("the Source engine (PBUFDEM, Dota 2)".to_owned());
    }
    if beginning.starts_with(b"PBDEMS2\0") {
        return Some("the Source 2 engine (PBDEMS2)".to_owned());
    }
    // Doom 3 and the games made with its engine write their name in front.
    let (name, _) = split(beginning.get(..PREFIX.min(beginning.len()))?, b" RDEMO\0")?;
    let name = std::str::from_utf8(name).ok().filter(|name| name.chars().all(|c| c.is_ascii_graphic() || c == ' '))?;
    (!name.is_empty()).then(|| format!("Doom 3's engine ({name} RDEMO)"))
}

fn split<'b>(bytes: &'b [u8], at: &[u8]) -> Option<(&'b [u8], &'b [u8])> {
    let start = bytes.windows(at.len()).position(|window| window == at)?;
    Some((&bytes[..start], &bytes[start + at.len()..]))
}

/// Other files that people hand us by mistake.
const OTHERS: [(&[u8], &str); 8] = [
    (b"version https://git-lfs", "a Git LFS pointer: the demo itself was not downloaded"),
    (b"<!DOCTYPE", "a web page"),
    (b"<!doctype", "a web page"),
    (b"<html", "a web page"),
    (b"<HTML", "a web page"),
    (b"%PDF-", "a PDF document"),
    (b"\x89PNG\r\n\x1A\n", "a PNG picture"),
    (b"WAD2", "a WAD of Quake: textures, no recordings"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_are_named_by_their_magic_numbers() {
        // As `file` 5.44 names them.
        for (bytes, name) in [
            (&b"Rar!\x1A\x07\x00\xCF\x90\x73\x00\x00\x0D"[..], "RAR"),
            (b"Rar!\x1A\x07\x01\x00\0\0\0\0", "RAR"),
            (b"\x12\x34\x1F\0\0\0\x90**ACE**\x14\x14\x02\0", "ACE"),
            (b"\x21\x33-lh5-\x10\0\0\0\x20\0\0\0", "LHA"),
            (b"MSCF\0\0\0\0\x10\0\0\0", "CAB"),
            (b"\x60\xEA\x2C\x00\x22\x0B\x01\x0B\x10", "ARJ"),
            (b"ZOO 2.10 Archive.\x1A\0\0\xDC\xA7\xC4\xFD", "ZOO"),
            // What it makes of `abc`.
            (b"\x1F\x9D\x90\x61\xC4\x8C\x01", "compress"),
        ] {
            assert!(archive(bytes).is_some_and(|what| what.contains(name)), "{name}");
        }
        // What it makes of a text with repetitions, as `gzip -d` reads it.
        let packed: [u8; 50] = [
            0x1F, 0x9D, 0x90, 0x61, 0x02, 0x0A, 0x0C, 0x08, 0x82, 0x4C, 0x99, 0x36, 0x6F, 0x0A, 0x1E, 0x7C, 0x33, 0x47,
            0x21, 0x42, 0x37, 0x73, 0xE8, 0xC8, 0x09, 0x43, 0xA7, 0x0C, 0x08, 0x34, 0x6F, 0xEE, 0x38, 0x64, 0x08, 0x22,
            0x8C, 0x1C, 0x8B, 0x70, 0xC2, 0x8C, 0x59, 0x53, 0x86, 0x4C, 0xC7, 0x81, 0x02, 0x01,
        ];
        assert!(archive(&packed).is_some_and(|what| what.contains("compress")));
        // A code that nothing has told.
        let mut other = packed;
        other[6] = 0xFF;
        assert_eq!(archive(&other), None);
        // The header of an archive in ARJ, with its CRC-32: no names, no comment.
        let mut header = [0; 32];
        header[..7].copy_from_slice(&[30, 11, 1, 11, 0x10, 0, 2]);
        let mut crc = flate2::Crc::new();
        crc.update(&header);
        let arj = [&[0x60, 0xEA, 32, 0][..], &header, &crc.sum().to_le_bytes(), &[0, 0]].concat();
        assert!(archive(&arj).is_some_and(|what| what.contains("ARJ")));
        for at in 4..arj.len() - 2 {
            let mut other = arj.clone();
            other[at] ^= 1;
            assert_eq!(archive(&other), None, "byte {at}");
        }
        // A demo of Quake, a packet of QuakeWorld.
        for bytes in [&b"-1\n\x09\0\0\0"[..], b"\0\0\0\0\x01\x09\0\0\0\xFF\xFF\xFF\xFF"] {
            assert_eq!(name(bytes), None);
        }
    }

    #[test]
    fn recordings_are_named_with_what_their_headers_tell() {
        let half_life = name(b"HLDEMO\0\0\x05\0\0\0\x30\0\0\0c1a0").unwrap();
        assert!(half_life.contains("Half-Life (HLDEMO, protocol 5, network protocol 48)"), "{half_life}");
        let source = name(b"HL2DEMO\0\x03\0\0\0\x18\0\0\0").unwrap();
        assert!(source.contains("(HL2DEMO, protocol 3, network protocol 24)"), "{source}");
        assert!(name(b"HLDEMO\0").unwrap().contains("(HLDEMO)"));
        assert!(name(b"DOOM 3 RDEMO\0\x01\0\0\0").unwrap().contains("(DOOM 3 RDEMO)"));
        assert!(name(b"Quake4 RDEMO\0").unwrap().contains("(Quake4 RDEMO)"));
    }
}
