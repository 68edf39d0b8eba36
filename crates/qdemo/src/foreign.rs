//! Files that qdemo does not read, named by what stands in them, so that nobody takes them for damaged demos.
//!
//! Only what the bytes show is said. The magic numbers are those of the formats' own documents and sources, compared with
//! the list of `file` (archives), and with the readers of other projects (recordings).

/// What a file is that begins with these bytes, in words, when it is something known that qdemo does not read.
/// [`PREFIX`] bytes are enough.
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
    // LHA has the name of its method between two minus signs: -lh5-, -lzs-.
    let method = matches!(beginning, [_, _, b'-', b'l', b'h' | b'z', _, b'-', ..]);
    known.map(|(.., what)| *what).or(method.then_some("an LHA (lzh) archive"))
}

/// Offset, magic number, name.
const ARCHIVES: [(usize, &[u8], &str); 15] = [
    (0, b"Rar!\x1A\x07\x00", "a RAR archive"),
    (0, b"Rar!\x1A\x07\x01\x00", "a RAR archive (version 5)"),
    (7, b"**ACE**", "an ACE archive"),
    (0, b"MSCF\0\0\0\0", "a CAB archive"),
    // Followed by the size of the header, which has at most 2,600 bytes.
    (0, &[0x60, 0xEA], "an ARJ archive"),
    (20, &[0xDC, 0xA7, 0xC4, 0xFD], "a ZOO archive"),
    (0, b"SIT!", "a StuffIt archive"),
    (0, b"StuffIt (c)", "a StuffIt archive"),
    (0, &[0x1F, 0x9D], "a file packed by compress (.Z)"),
    (0, &[0x04, 0x22, 0x4D, 0x18], "a file packed by LZ4"),
    (0, b"LZIP\x01", "a file packed by lzip"),
    (0, b"070701", "a cpio archive"),
    (0, b"070707", "a cpio archive"),
    (0, b"!<arch>\n", "an ar archive or a Debian package"),
    (0, b"xar!", "a XAR archive"),
];

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
            (b"\x1F\x9D\x90abc", "compress"),
        ] {
            assert!(archive(bytes).is_some_and(|what| what.contains(name)), "{name}");
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
