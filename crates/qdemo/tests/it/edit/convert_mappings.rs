//! What docs/conversions.md says of messages and fields, held against their declarations.

use std::collections::{BTreeMap, BTreeSet};

use qdemo::FileKind;
use qdemo::convert::{CONVERSIONS, Known};
use qdemo::describe::{FieldSchema, Holds, Statement};

/// The names of a format's messages and of what stands around them, with those of their fields.
type Vocabulary = BTreeMap<String, BTreeSet<String>>;

fn add_fields(of: &str, fields: impl Iterator<Item = &'static FieldSchema>, to: &mut Vocabulary) {
    for field in fields {
        let known = to.entry(of.to_owned()).or_default();
        known.insert(field.name.to_owned());
        known.extend(field.ty.parts.iter().map(|(part, _)| (*part).to_owned()));
        add_fields(of, field.ty.beside.iter(), to);
        match field.ty.holds {
            Holds::Object(statement) | Holds::List(statement) => add_statement(statement, to),
            Holds::Messages(statements) => statements.iter().for_each(|statement| add_statement(statement, to)),
            _ => {}
        }
    }
}

fn add_statement(statement: &Statement, to: &mut Vocabulary) {
    let name = statement.schema.name;
    if to.contains_key(name) && statement.alternatives.is_empty() {
        return;
    }
    to.entry(name.to_owned()).or_default();
    add_fields(name, statement.schema.fields(), to);
    add_fields(name, statement.behind.into_iter().flat_map(|schema| schema.fields()), to);
    for alternative in statement.alternatives {
        add_fields(name, alternative.fields(), to);
    }
}

fn vocabulary(kind: FileKind) -> Vocabulary {
    let reference = kind.reference().unwrap();
    let mut all = Vocabulary::new();
    reference.statements.iter().for_each(|statement| add_statement(statement, &mut all));
    for message in &reference.messages {
        all.entry(message.schema.name.to_owned()).or_default();
        add_fields(message.schema.name, message.schema.fields(), &mut all);
    }
    all
}

/// Names, without words that say more than a name does.
fn names(list: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    let names = list.split(", ").filter(|name| !name.is_empty() && !name.contains(' '));
    names.map(|name| name.split_once('.').map_or((name, None), |(message, field)| (message, Some(field))))
}

fn title(known: &Known) -> String {
    format!("{:?} {:?} to {:?} {:?}", known.way.from, known.from, known.way.into, known.to)
}

#[test]
fn messages_and_fields_are_called_as_they_are_declared() {
    let mut wrong = Vec::new();
    for known in CONVERSIONS {
        let sides = [known.way.from, known.way.into].map(vocabulary);
        for mapping in known.mappings() {
            for (list, known_names) in [(mapping.source, &sides[0]), (mapping.target, &sides[1])] {
                for (message, field) in names(list) {
                    let is_there = |fields: &BTreeSet<String>| field.is_none_or(|field| fields.contains(field));
                    if !known_names.get(message).is_some_and(is_there) {
                        wrong.push(format!("{}: {message} {}", title(known), field.unwrap_or_default()));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn from_one_format_into_another_every_message_is_listed() {
    for known in CONVERSIONS.iter().filter(|known| known.way.from != known.way.into) {
        let listed: BTreeMap<_, _> = known.mappings().flat_map(|mapping| names(mapping.source)).collect();
        for message in &known.way.from.reference().unwrap().messages {
            // What an extension of the other one is, is told of in general.
            assert!(listed.contains_key(message.schema.name), "{}: {}", title(known), message.schema.name);
        }
    }
}
