//! TOML to rules. Whatever is not understood is a mistake: a rule that nobody asks would look like one that is kept.

use std::collections::HashSet;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::settings::{AIR_ACCELERATION, MOVEVARS, Source, Test};
use super::{Condition, Rule, RuleSet, RuleSubject};
use crate::analysis::check::found::Severity;
use crate::describe::Mistake;
use crate::error::{Error, ErrorKind, Result, TextMistake};

type Parsed<T> = std::result::Result<T, Mistake>;
type Entry<'t, 'i> = (&'t Spanned<std::borrow::Cow<'i, str>>, &'t Spanned<DeValue<'i>>);

const FORMATS: [&str; 6] = ["dem", "qwd", "mvd", "dm2", "mvd2", "dm3"];
const OF_SET: [&str; 5] = ["name", "description", "formats", "games", "rule"];
const OF_CONDITION: [&str; 8] = ["where", "key", "must", "must_not", "one_of", "min", "max", "present"];
const OF_RULE: [&str; 7] = ["name", "description", "severity", "formats", "games", "says", "when"];
const LEVEL: [&str; 7] = ["map", "title", "number", "game", "protocol", "maxclients", "deathmatch"];

pub(super) fn parse(text: &str, file: &str) -> Result<RuleSet> {
    let read = || {
        let document = DeTable::parse(text).map_err(|e| {
            Mistake::new(e.span().unwrap_or_default().start, format!("this is no TOML: {}", e.message()))
        })?;
        set(document.get_ref())
    };
    read().map_err(|Mistake { at, what }| {
        Error::new(ErrorKind::Text(TextMistake::new(text.as_bytes(), (1, 0), at, what))).in_file(file)
    })
}

fn set(table: &DeTable<'_>) -> Parsed<RuleSet> {
    known(table, &[&OF_SET])?;
    let name = name(table, 0..0)?;
    let description = string(table, "description")?.unwrap_or_default();
    let (formats, games) = gates(table)?;
    let (mut rules, mut names) = (Vec::new(), HashSet::new());
    let Some((_, all)) = get(table, "rule") else {
        return Err(Mistake::new(0, "there are no rules: begin each with [[rule]]"));
    };
    for (span, rule) in tables(all, "[[rule]]")? {
        let rule = self::rule(rule, span.clone(), &name, &formats, &games)?;
        if !names.insert(rule.name.clone()) {
            return Err(Mistake::new(span.start, format!("there are two rules {}: give each a name", rule.name)));
        }
        rules.push(rule);
    }
    Ok(RuleSet { name, description, rules })
}

fn rule(table: &DeTable<'_>, span: Range<usize>, set: &str, formats: &[String], games: &[String]) -> Parsed<Rule> {
    known(table, &[&OF_RULE, &OF_CONDITION])?;
    let name = format!("{set}/{}", name(table, span.clone())?);
    let severity = match get(table, "severity") {
        None => Severity::Warning,
        Some((_, value)) => text(value)
            .and_then(Severity::by_name)
            .ok_or_else(|| mistake(value, "severity is \"note\", \"warning\" or \"violation\""))?,
    };
    let (own_formats, own_games) = gates(table)?;
    let source = source(table, span.clone())?;
    let kind = if source.is_text() {
        if let Some((key, _)) = table.iter().find(|(key, _)| OF_CONDITION[1..].contains(&&**key.get_ref())) {
            return Err(Mistake::new(key.span().start, format!("{} is a text: use says = [\"...\"]", source.name())));
        }
        let says: Vec<_> = list(table, "says")?.iter().map(|words| words.to_lowercase()).collect();
        if says.is_empty() || says.iter().any(String::is_empty) {
            let what = "a rule about texts needs says = [\"...\"]: the words that must not be said";
            return Err(Mistake::new(span.start, what));
        }
        RuleSubject::Text { source, says }
    } else {
        if let Some((key, _)) = get(table, "says") {
            let what = "says is for where = \"print\", \"centerprint\", \"stufftext\" or \"serverCommand\"";
            return Err(Mistake::new(key.span().start, what));
        }
        RuleSubject::Setting(condition(table, source, span)?)
    };
    let mut when = Vec::new();
    if let Some((_, all)) = get(table, "when") {
        for (span, table) in tables(all, "a condition { where = ..., key = ..., must = ... }")? {
            known(table, &[&OF_CONDITION])?;
            let source = self::source(table, span.clone())?;
            if source.is_text() {
                return Err(Mistake::new(span.start, "a condition is about a setting, not about a text"));
            }
            when.push(condition(table, source, span)?);
        }
    }
    let or = |own: Vec<String>, of_set: &[String]| if own.is_empty() { of_set.to_vec() } else { own };
    Ok(Rule {
        name,
        description: string(table, "description")?.unwrap_or_default(),
        severity,
        formats: or(own_formats, formats),
        games: or(own_games, games),
        kind,
        when,
    })
}

fn source(table: &DeTable<'_>, span: Range<usize>) -> Parsed<Source> {
    let names = || Source::ALL.map(|(_, name)| name).join(", ");
    match get(table, "where") {
        None => Err(Mistake::new(span.start, format!("where is missing: it is one of {}", names()))),
        Some((_, value)) => text(value)
            .and_then(|wanted| Source::ALL.into_iter().find(|(_, name)| *name == wanted))
            .map(|(source, _)| source)
            .ok_or_else(|| mistake(value, format!("where is one of {}", names()))),
    }
}

fn condition(table: &DeTable<'_>, source: Source, span: Range<usize>) -> Parsed<Condition> {
    let Some((_, value)) = get(table, "key") else {
        return Err(Mistake::new(span.start, format!("key is missing: the name of the setting in {}", source.name())));
    };
    let key = scalar(value).ok_or_else(|| mistake(value, "key is a name, or the number of a configstring"))?;
    let among = |names: &[&str]| match names.iter().any(|name| name.eq_ignore_ascii_case(&key)) {
        true => Ok(()),
        false => Err(mistake(value, format!("{} has the keys {}", source.name(), names.join(", ")))),
    };
    match source {
        Source::MoveVars => among(&MOVEVARS)?,
        Source::Level => among(&LEVEL)?,
        Source::ConfigString if key.parse::<u16>().is_err() && key != AIR_ACCELERATION => {
            return Err(mistake(value, format!("the key of a configstring is its number, or {AIR_ACCELERATION}")));
        }
        _ => {}
    }
    let bound = |name| match get(table, name) {
        None => Ok(None),
        Some((_, value)) => match scalar(value).and_then(|v| v.parse::<f64>().ok()).filter(|v| v.is_finite()) {
            Some(bound) => Ok(Some(bound)),
            None => Err(mistake(value, format!("{name} is a number"))),
        },
    };
    let present = match get(table, "present") {
        None => None,
        Some((_, value)) => match value.get_ref().as_bool() {
            Some(present) => Some(present),
            None => return Err(mistake(value, "present is true or false")),
        },
    };
    let mut one_of = list(table, "one_of")?;
    one_of.extend(list(table, "must")?);
    let none_of = list(table, "must_not")?;
    let test = Test { one_of, none_of, min: bound("min")?, max: bound("max")?, present };
    if test == Test::default() {
        let what = "nothing is asked of the setting: use must, must_not, one_of, min, max or present";
        return Err(Mistake::new(span.start, what));
    }
    Ok(Condition { source, key, test })
}

/// Formats and games.
fn gates(table: &DeTable<'_>) -> Parsed<(Vec<String>, Vec<String>)> {
    let formats = list(table, "formats")?;
    match formats.iter().find(|name| !FORMATS.contains(&name.as_str())) {
        Some(_) => {
            let at = get(table, "formats").map_or(0, |(_, value)| value.span().start);
            Err(Mistake::new(at, format!("formats are {}", FORMATS.join(", "))))
        }
        None => Ok((formats, list(table, "games")?)),
    }
}

/// The name of a set or rule: it becomes a part of others.
fn name(table: &DeTable<'_>, span: Range<usize>) -> Parsed<String> {
    let good = |name: &str| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
    };
    match get(table, "name") {
        None => Err(Mistake::new(span.start, "name is missing")),
        Some((_, value)) => text(value)
            .filter(|name| good(name))
            .map(str::to_owned)
            .ok_or_else(|| mistake(value, "a name is letters, digits, and any of _-.")),
    }
}

/// No keys but these.
fn known(table: &DeTable<'_>, keys: &[&[&str]]) -> Parsed<()> {
    let known = |(key, _): &Entry<'_, '_>| keys.iter().any(|keys| keys.contains(&&**key.get_ref()));
    match table.iter().find(|entry| !known(entry)) {
        None => Ok(()),
        Some((key, _)) => {
            let what = format!("there is no key {}: it is one of {}", key.get_ref(), keys.concat().join(", "));
            Err(Mistake::new(key.span().start, what))
        }
    }
}

fn get<'t, 'i>(table: &'t DeTable<'i>, wanted: &str) -> Option<Entry<'t, 'i>> {
    table.iter().find(|(key, _)| key.get_ref() == wanted)
}

fn mistake(value: &Spanned<DeValue<'_>>, what: impl Into<String>) -> Mistake {
    Mistake::new(value.span().start, what)
}

fn text<'v>(value: &'v Spanned<DeValue<'_>>) -> Option<&'v str> {
    value.get_ref().as_str()
}

fn string(table: &DeTable<'_>, key: &str) -> Parsed<Option<String>> {
    match get(table, key) {
        None => Ok(None),
        Some((_, value)) => match text(value) {
            Some(text) => Ok(Some(text.to_owned())),
            None => Err(mistake(value, format!("{key} is a text in quotes"))),
        },
    }
}

/// A text or a number, as text.
fn scalar(value: &Spanned<DeValue<'_>>) -> Option<String> {
    match value.get_ref() {
        DeValue::String(text) => Some(text.clone().into_owned()),
        DeValue::Integer(v) if v.radix() == 10 => Some(v.as_str().to_owned()),
        DeValue::Integer(v) => i64::from_str_radix(v.as_str(), v.radix()).ok().map(|v| v.to_string()),
        DeValue::Float(v) => Some(v.as_str().to_owned()),
        _ => None,
    }
}

/// One text or number, or a list of them.
fn list(table: &DeTable<'_>, key: &str) -> Parsed<Vec<String>> {
    let Some((_, value)) = get(table, key) else { return Ok(Vec::new()) };
    let bad = || mistake(value, format!("{key} is a text or a number, or a list of them"));
    match value.get_ref() {
        DeValue::Array(all) if all.is_empty() => Err(mistake(value, format!("{key} is empty: leave it out"))),
        DeValue::Array(all) => all.iter().map(|value| scalar(value).ok_or_else(bad)).collect(),
        _ => scalar(value).map(|one| vec![one]).ok_or_else(bad),
    }
}

/// A table, or a list of them, with their places.
fn tables<'t, 'i>(value: &'t Spanned<DeValue<'i>>, what: &str) -> Parsed<Vec<(Range<usize>, &'t DeTable<'i>)>> {
    let bad = |value: &Spanned<DeValue<'_>>| mistake(value, format!("this is written as {what}"));
    let one = |value: &'t Spanned<DeValue<'i>>| match value.get_ref() {
        DeValue::Table(table) => Ok((value.span(), table)),
        _ => Err(bad(value)),
    };
    match value.get_ref() {
        DeValue::Array(all) => all.iter().map(one).collect(),
        _ => one(value).map(|one| vec![one]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(text: &str) -> String {
        parse(text, "my.toml").unwrap_err().to_string()
    }

    #[test]
    fn mistakes_have_their_place() {
        let rule = |rest: &str| format!("name = \"my\"\n[[rule]]\nname = \"a\"\n{rest}\n");
        let cases = [
            ("name = my".to_owned(), "my.toml:1:8: this is no TOML"),
            ("name = \"my\"".to_owned(), "there are no rules: begin each with [[rule]]"),
            ("name = \"m y\"".to_owned(), "my.toml:1:8: a name is letters"),
            (rule(""), "my.toml:2:1: where is missing: it is one of serverinfo, systeminfo"),
            (rule("where = \"server\""), "my.toml:4:9: where is one of serverinfo"),
            (rule("where = \"serverinfo\""), "key is missing"),
            (rule("where = \"serverinfo\"\nkey = \"a\""), "nothing is asked of the setting"),
            (rule("where = \"movevars\"\nkey = \"a\""), "my.toml:5:7: movevars has the keys gravity"),
            (rule("where = \"configstring\"\nkey = \"a\""), "the key of a configstring is its number"),
            (rule("where = \"serverinfo\"\nkey = \"a\"\nmust = true"), "my.toml:6:8: must is a text or a number"),
            (rule("where = \"serverinfo\"\nkey = \"a\"\nmin = \"x\""), "my.toml:6:7: min is a number"),
            (rule("where = \"serverinfo\"\nmust_be = 1"), "my.toml:5:1: there is no key must_be"),
            (rule("severity = \"bad\""), "severity is \"note\", \"warning\" or \"violation\""),
            (rule("where = \"print\"\nkey = \"a\""), "my.toml:5:1: print is a text: use says"),
            (rule("where = \"print\""), "a rule about texts needs says"),
            (rule("where = \"level\"\nsays = \"a\""), "my.toml:5:1: says is for"),
            (rule("formats = [\"dm_68\"]"), "formats are dem, qwd"),
            (rule("where = \"print\"\nsays = \"a\"\nwhen = 1"), "my.toml:6:8: this is written as a condition"),
            (
                rule("where = \"print\"\nsays = \"a\"\n[[rule]]\nname = \"a\"\nwhere = \"print\"\nsays = \"b\""),
                "two rules my/a",
            ),
        ];
        for (text, wanted) in cases {
            let told = says(&text);
            assert!(told.contains(wanted), "{told}\n{text}");
        }
    }

    #[test]
    fn numbers_in_all_their_forms() {
        let rule = "name = \"my\"\n[[rule]]\nname = \"a\"\nwhere = \"level\"\nkey = \"protocol\"\none_of = [15, 0x29A, \"999\", 1.5]";
        let set = parse(rule, "").unwrap();
        let RuleSubject::Setting(condition) = &set.rules[0].kind else { panic!() };
        assert_eq!(condition.test.one_of, ["15", "666", "999", "1.5"]);
    }
}
