//! Messages into packets of a size that engines have room for.

use crate::describe::Wire;
use crate::format::{ByteMessages, MessageSet, encode_messages};
use crate::wire::{ByteWriter, Fault};

/// Puts messages into packets, in order: as many into each as have room in `most` bytes, and at least one. A packet that
/// goes on with the one before begins with `again`. `dialect` is that of the first message, and after that the one that
/// the messages lead to.
///
/// # Errors
/// A message that the dialect cannot write.
pub(crate) fn split<M>(
    messages: impl IntoIterator<Item = M>,
    again: Option<&M>,
    most: usize,
    dialect: &mut <<M as MessageSet<'static>>::Wire as Wire>::Dialect,
) -> Result<Vec<Vec<M>>, Fault>
where
    M: ByteMessages<'static> + 'static,
{
    let mut packets = Vec::new();
    let mut packet = Vec::new();
    let mut size = 0;
    let mut w = ByteWriter::default();
    for message in messages {
        w.clear();
        encode_messages([&message], dialect, &mut w)?;
        let length = w.len();
        if size > 0 && size + length > most {
            packets.push(std::mem::take(&mut packet));
            w.clear();
            encode_messages(again, dialect, &mut w)?;
            packet.extend(again.cloned());
            size = w.len();
        }
        packet.push(message);
        size += length;
    }
    packets.push(packet);
    Ok(packets)
}
