//! Packs what a replay holds.

use std::sync::atomic::{AtomicUsize, Ordering};

use zlib_rs::adler32::{adler32, adler32_combine};
use zlib_rs::{Deflate, DeflateFlush, Status};

use super::columns::malformed;
use super::threads::on_threads;
use crate::error::Result;

/// How much trouble is taken, of 9: 4 takes half as many instructions again for pages that are 3 to 5 % smaller.
const LEVEL: i32 = 2;
/// Looks back over 32 KB: the most that there is.
const WINDOW_BITS: u8 = 15;
/// What a stream of zlib with these begins with.
const BEGINNING: [u8; 2] = [0x78, 0x5E];
/// Bytes that are packed into at once.
const ROOM: usize = 64 << 10;
/// What is packed by itself has so many bytes or more: what is packed together need not wait for each other, but does not
/// look back at others.
const TOGETHER: usize = 64 << 10;

/// Parts one behind the other as a stream of zlib (RFC 1950), on so many threads; the stream is the same. With each part a
/// block ends, and with it the codes that suit its bytes.
///
/// # Errors
/// None that memory can give.
pub(super) fn packed(parts: &[&[u8]], threads: usize) -> Result<Vec<u8>> {
    let groups = grouped(parts);
    let mut order: Vec<usize> = (0..groups.len()).collect();
    let size = |group: &[&[u8]]| group.iter().map(|part| part.len()).sum::<usize>();
    // The largest first: then nobody waits for long in the end.
    order.sort_unstable_by_key(|&n| (std::cmp::Reverse(groups.get(n).map_or(0, |group| size(group))), n));
    let next = AtomicUsize::new(0);
    let work = |_: usize| {
        let mut room = vec![0; ROOM];
        let mut done = Vec::new();
        while let Some(&n) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            let group = groups.get(n).copied().unwrap_or_default();
            done.push((n, pack_group(group, n + 1 == groups.len(), &mut room)?));
        }
        Ok(done)
    };
    let all = on_threads(threads.min(groups.len()), work).into_iter().collect::<Result<Vec<_>>>()?;
    let mut done: Vec<(usize, Packed)> = all.into_iter().flatten().collect();
    done.sort_unstable_by_key(|(n, _)| *n);
    let mut out = BEGINNING.to_vec();
    let mut sum = 1;
    for (_, group) in done {
        out.extend_from_slice(&group.bytes);
        sum = adler32_combine(sum, group.sum, group.len);
    }
    out.extend_from_slice(&sum.to_be_bytes());
    Ok(out)
}

/// Parts that are packed together; the last group is there even if there are no parts.
fn grouped<'p, 'b>(parts: &'p [&'b [u8]]) -> Vec<&'p [&'b [u8]]> {
    let (mut groups, mut from, mut size) = (Vec::new(), 0, 0);
    for (n, part) in parts.iter().enumerate() {
        size += part.len();
        if size >= TOGETHER {
            groups.extend(parts.get(from..=n));
            (from, size) = (n + 1, 0);
        }
    }
    groups.extend(parts.get(from..));
    groups
}

/// A group of parts, packed.
struct Packed {
    bytes: Vec<u8>,
    /// Checksum and length of what was packed.
    sum: u32,
    len: u64,
}

/// Packs a group. It ends with a whole byte, or with the end of the stream.
fn pack_group(parts: &[&[u8]], is_last: bool, room: &mut [u8]) -> Result<Packed> {
    // One for each group: behind `reset` it goes by what is left of the group before.
    let mut deflate = Deflate::new(LEVEL, false, WINDOW_BITS);
    let mut packed = Packed { bytes: Vec::new(), sum: 1, len: 0 };
    for part in parts {
        packed.sum = adler32(packed.sum, part);
        packed.len += part.len() as u64;
        pack(&mut deflate, part, DeflateFlush::Block, room, &mut packed.bytes)?;
    }
    let end = if is_last { DeflateFlush::Finish } else { DeflateFlush::SyncFlush };
    pack(&mut deflate, &[], end, room, &mut packed.bytes)?;
    Ok(packed)
}

fn pack(deflate: &mut Deflate, mut part: &[u8], flush: DeflateFlush, room: &mut [u8], out: &mut Vec<u8>) -> Result<()> {
    let ends = matches!(flush, DeflateFlush::Finish);
    loop {
        let (read, written) = (deflate.total_in(), deflate.total_out());
        let status = deflate.compress(part, room, flush).map_err(|_| malformed("it cannot be packed"))?;
        let (read, written) = (deflate.total_in() - read, deflate.total_out() - written);
        part = part.get(read as usize..).unwrap_or_default();
        out.extend_from_slice(room.get(..written as usize).unwrap_or_default());
        // There may be more to write where no room is left.
        let done = if ends { status == Status::StreamEnd } else { part.is_empty() && (written as usize) < room.len() };
        if done {
            return Ok(());
        }
        if read == 0 && written == 0 {
            return Err(malformed("it cannot be packed"));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    /// What another library makes of it.
    #[test]
    fn one_stream_whatever_the_threads() {
        let bytes: Vec<u8> = (0..400_000u32).map(|n| (n.wrapping_mul(n) >> 7) as u8 & 0x3F).collect();
        let parts: Vec<&[u8]> = vec![&bytes[..10], &bytes[10..90_000], &[], &bytes[90_000..90_010], &bytes[90_010..]];
        for parts in [&parts[..], &parts[..1], &parts[1..2], &parts[2..3], &[]] {
            let one = packed(parts, 1).unwrap();
            for threads in [0, 2, 3, 9] {
                assert_eq!(packed(parts, threads).unwrap(), one);
            }
            let mut back = Vec::new();
            flate2::read::ZlibDecoder::new(&one[..]).read_to_end(&mut back).unwrap();
            assert_eq!(back, parts.concat());
        }
    }

    /// What a group becomes does not depend on which one was packed before.
    #[test]
    fn each_group_is_packed_by_itself() {
        let mut state = 1u64;
        let mut random = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        };
        for round in 0..40 {
            // Few different bytes, so that there are many short matches, also where parts end.
            let [first, second] = [TOGETHER * 2, TOGETHER]
                .map(|len| (0..len + round * 7).map(|_| random(2 + round as u64 % 5) as u8).collect::<Vec<u8>>());
            let (one, other) = second.split_at(1_000 + round * 331);
            let both = packed(&[&first, one, other], 1).unwrap();
            let alone = packed(&[one, other], 1).unwrap();
            // The same but for the beginning and the checksum of the stream.
            assert!(both[..both.len() - 4].ends_with(&alone[2..alone.len() - 4]), "round {round}");
        }
    }
}
