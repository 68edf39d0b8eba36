//! The tables that a reader or writer of the bits needs beside the messages, in Markdown: the order of the fields by
//! protocol, the masks that have a number, the Huffman codes.

use std::fmt::Write;

use qdemo::format::dm3::{DeltaForm, Dialect, EntityField, PlayerField, ProtocolLayout, Table};
use qdemo::wire::{BitWriter, Coding};

pub(super) fn all() -> String {
    let mut out = String::new();
    out.push_str(
        "\n### Order of the fields\n\nPlace on the wire, from 0, and type: `9:u10` is the tenth field, in ten bits; \
         `f` is a float.\n",
    );
    let player = PlayerField::ALL.iter().map(|field| (field.name(), *field as u8)).collect();
    order(&mut out, "player", player, |layout| &layout.player);
    let entity = EntityField::ALL.iter().map(|field| (field.name(), *field as u8)).collect();
    order(&mut out, "entity", entity, |layout| &layout.entity);
    masks(&mut out);
    codes(&mut out);
    out
}

/// Protocols in words: `43 to 48`, `90 and later`, `66, 67, 68`.
pub(super) fn list(protocols: &[i32]) -> String {
    let all: Vec<_> = Dialect::all().iter().map(|d| d.protocol).collect();
    match protocols {
        [first, .., last] if all.starts_with(protocols) => format!("{first} to {last}"),
        [first, _, ..] if all.ends_with(protocols) => format!("{first} and later"),
        _ => protocols.iter().map(i32::to_string).collect::<Vec<_>>().join(", "),
    }
}

/// The layouts with their protocols.
fn layouts() -> Vec<(&'static ProtocolLayout, Vec<i32>)> {
    let mut layouts: Vec<(&ProtocolLayout, Vec<i32>)> = Vec::new();
    for dialect in Dialect::all() {
        match layouts.iter_mut().find(|(layout, _)| *layout == dialect.layout) {
            Some((_, protocols)) => protocols.push(dialect.protocol),
            None => layouts.push((dialect.layout, vec![dialect.protocol])),
        }
    }
    layouts
}

fn order(out: &mut String, state: &str, fields: Vec<(&str, u8)>, table: fn(&ProtocolLayout) -> &Table) {
    let _ = write!(out, "\n| {state} |");
    let layouts = layouts();
    for (_, protocols) in &layouts {
        let numbers: Vec<_> = protocols.iter().map(i32::to_string).collect();
        let _ = write!(out, " {} |", numbers.join(", "));
    }
    let _ = writeln!(out, "\n|---|{}", "---|".repeat(layouts.len()));
    for (name, id) in fields {
        let _ = write!(out, "| `{name}` |");
        for (layout, _) in &layouts {
            let table = table(layout);
            let cell = table.place(id).and_then(|place| Some((place, table.fields().get(place)?)));
            let _ = match cell {
                None => write!(out, " |"),
                Some((place, field)) if field.bits == 0 => write!(out, " {place}:f |"),
                Some((place, field)) => {
                    // All 32 bits are shown with a sign.
                    let signed = field.signed || field.bits == 32;
                    write!(out, " {place}:{}{} |", if signed { 'i' } else { 'u' }, field.bits)
                }
            };
        }
        out.push('\n');
    }
}

fn masks(out: &mut String) {
    let found = Dialect::all().iter().find_map(|dialect| match dialect.layout.delta {
        DeltaForm::Masked(masks) => Some(masks),
        DeltaForm::Counted => None,
    });
    let Some(masks) = found else { return };
    out.push_str("\n### Masks of entities, protocols 43 to 48\n\nBit N is the field at place N. Number 31 says that the mask itself follows.\n");
    out.push_str("\n| number | mask | fields |\n|---|---|---|\n");
    let fields = Dialect::all().first().map(|dialect| dialect.layout.entity.fields()).unwrap_or_default();
    for (number, mask) in masks.iter().enumerate() {
        let set = fields.iter().enumerate().filter(|(place, _)| mask >> place & 1 == 1);
        let names: Vec<_> = set.map(|(_, field)| format!("`{}`", field.name.text)).collect();
        let _ = writeln!(out, "| {number} | `0x{mask:X}` | {} |", names.join(" "));
    }
}

/// Codes of each row of the table.
const ACROSS: usize = 8;

fn codes(out: &mut String) {
    out.push_str(
        "\n### Huffman codes\n\nThe code of each byte, in the order of the stream: the left bit comes first. \
         `00000000100` is the tree's escape, which no engine writes.\n\n| byte |",
    );
    for column in 0..ACROSS {
        let _ = write!(out, " +{column} |");
    }
    let _ = writeln!(out, "\n|---|{}", "---|".repeat(ACROSS));
    let bytes: Vec<_> = (0..=u8::MAX).collect();
    for row in bytes.chunks(ACROSS) {
        let _ = write!(out, "| {} |", row.first().copied().unwrap_or_default());
        for byte in row {
            let _ = write!(out, " `{}` |", code(*byte));
        }
        out.push('\n');
    }
}

/// The code of a byte as zeros and ones.
fn code(byte: u8) -> String {
    let mut w = BitWriter::new(Coding::Huffman);
    w.value(byte.into(), 8);
    let length = w.len();
    let bits = w.into_bytes();
    (0..length).map(|n| if bits.get(n / 8).is_some_and(|b| b >> (n % 8) & 1 == 1) { '1' } else { '0' }).collect()
}
