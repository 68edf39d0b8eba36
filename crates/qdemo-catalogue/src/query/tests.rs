use super::keys::Unit;
use super::normal::normal;
use super::parse::{Node, QueryError, Sign, parse};
use super::sql::Maker;
use super::value;

fn shape(node: &Node) -> String {
    let all = |nodes: &[Node], word: &str| format!("({})", nodes.iter().map(shape).collect::<Vec<_>>().join(word));
    match node {
        Node::And(nodes) if nodes.len() == 1 => shape(&nodes[0]),
        Node::And(nodes) => all(nodes, " & "),
        Node::Or(nodes) => all(nodes, " | "),
        Node::Not(node) => format!("!{}", shape(node)),
        Node::Term(term) => {
            let sign = match term.sign {
                Sign::Is => "=",
                Sign::Less => "<",
                Sign::LessOrIs => "<=",
                Sign::More => ">",
                Sign::MoreOrIs => ">=",
            };
            format!("{}{sign}{}", term.key.name, term.value)
        }
    }
}

fn read(query: &str) -> String {
    shape(&parse(query).unwrap_or_else(|e| panic!("{query}: {e}")))
}

fn error(query: &str) -> QueryError {
    let made = parse(query).and_then(|node| normal(query, &node)).and_then(|node| Maker { query }.of(&node).map(drop));
    made.err().unwrap_or_else(|| panic!("{query} is taken"))
}

#[test]
fn words_and_keys_stand_together() {
    assert_eq!(read(""), "()");
    assert_eq!(read("sarge"), "text=sarge");
    assert_eq!(read(" player:sarge  frags>=20 "), "(player=sarge & frags>=20)");
    assert_eq!(read("chat:\"good game\" length:>10m"), "(chat=good game & length>10m)");
    // Other names, and letters in either case.
    assert_eq!(read("Clan:red path=a hash:1f"), "(team=red & file=a & sha256=1f)");
}

#[test]
fn or_is_weaker_than_and() {
    assert_eq!(read("a b OR c -d"), "((text=a & text=b) | (text=c & !text=d))");
    assert_eq!(read("a AND (b OR c)"), "(text=a & (text=b | text=c))");
    assert_eq!(read("-(a b)"), "!(text=a & text=b)");
    // These are no words of the language.
    assert_eq!(read("or ORANGE \"OR\""), "(text=or & text=ORANGE & text=OR)");
}

#[test]
fn quotes_hold_anything() {
    assert_eq!(read(r#""a \"b\" \\ c""#), r#"text=a "b" \ c"#);
    assert_eq!(read(r#"player:"(x) OR -y""#), "player=(x) OR -y");
    assert_eq!(read("\"map:dm3\""), "text=map:dm3");
    // As engines name them: a colour, a clan in brackets, a lone sign.
    assert_eq!(read("player:^1[clan]x - >"), "(player=^1[clan]x & text=- & text=>)");
}

#[test]
fn errors_say_what_and_where() {
    let at = |query: &str, at: std::ops::Range<usize>, word: &str| {
        let error = error(query);
        assert_eq!(error.at(), at, "{error}");
        assert!(error.to_string().contains(word), "{error}");
    };
    at("map:dm3 weapn:rocket", 8..13, "perhaps weapon");
    at("(a OR b", 0..1, "not closed");
    at("a )", 2..3, "no parenthesis");
    at("a OR", 2..4, "between two");
    at("OR a", 0..2, "between two");
    at("()", 0..2, "nothing");
    at("chat:\"gg", 5..6, "quote");
    at("map:", 0..4, "missing");
    at("frags>many", 6..10, "whole number");
    at("length>10x", 7..10, "10m");
    at("length>1:60", 7..11, "1:02:03");
    at("length>1:60:00", 7..14, "1:02:03");
    at("length>1:2:3:4", 7..14, "1:02:03");
    at("size<-5MB", 5..9, "5MB");
    at("after:2024-13", 6..13, "2024-03");
    at("before:2026-02-30", 7..17, "that month has 28 days");
    at("on:2024-02-29..2024-02-30", 3..25, "that month has 29 days");
    at("after:\"2024-04-31 20:15\"", 6..24, "that month has 30 days");
    at("after:\"2024-04-30 20:60\"", 6..24, "2024-03");
    at("map>dm3", 4..7, "no number");
    at("is:new", 3..6, "vanished");
    at("highlight:bogus", 10..15, "multikill, streak, one_shot, midair, flick");
    at("player:a (game:quake4 OR game:quake3)", 15..21, "quake, quakeworld, quake2, quake3");
    at("format:dm_68", 7..12, "dem, qwd, mvd, dm2, mvd2, dm3");
    at("--a", 0..2, "one -");
    at("a\0", 1..2, "zero");
    at("chat:\"hel* from\"", 5..16, "last word");
    at("chat:*lo", 5..8, "last word");
    let error = error("\u{e9}\u{e9} weapn:x");
    // The mark stands below the word, by characters.
    assert_eq!(error.details(), "  \u{e9}\u{e9} weapn:x\n     ^^^^^");
    assert!(error.to_string().contains("chat, speaker"), "{error}");
}

#[test]
fn lengths_are_written_as_clocks_or_with_a_unit() {
    for (text, ms) in [
        ("90", 90_000),
        ("90s", 90_000),
        ("1.5h", 5_400_000),
        ("1:30", 90_000),
        ("0:14.128", 14_128),
        ("90:00", 5_400_000),
        ("1:02:03", 3_723_000),
    ] {
        assert_eq!(value::number(text, Unit::Milliseconds), Ok(ms), "{text}");
    }
}

#[test]
fn queries_have_bounds() {
    let deep = format!("{}a{}", "(".repeat(1000), ")".repeat(1000));
    assert!(error(&deep).to_string().contains("deep"));
    assert!(error(&"a ".repeat(10_000)).to_string().contains("200 terms"));
    assert!(error(&"-".repeat(10_000)).to_string().contains("one -"));
    for key in ["", "file:", "chat:", "player:", "frags>"] {
        let error = error(&format!("{key}{}", "%".repeat(10_001)));
        assert!(error.to_string().contains("10000 characters"), "{error}");
    }
}

#[test]
fn words_of_closed_lists_are_taken() {
    for query in ["highlight:air", "highlight:Multi", "highlight:x*", "game:QUAKE2", "game:quake*", "format:mvd?"] {
        assert!(parse(query).is_ok(), "{query}");
    }
    // Nobody knows all of these.
    for query in ["weapon:bogus", "mode:bogus", "mod:bogus", "dialect:bogus", "physics:bogus", "container:bogus"] {
        assert!(parse(query).is_ok(), "{query}");
    }
}

/// What stands side by side is about the same player, whatever parentheses, OR and - stand around it.
#[test]
fn what_is_about_a_player_stands_beside_the_player() {
    let made = |query: &str| shape(&normal(query, &parse(query).unwrap()).unwrap());
    for (query, as_if) in [
        ("player:a (weapon:b)", "player:a weapon:b"),
        ("((frags>3) player:a)", "frags>3 player:a"),
        ("player:a (weapon:b OR kills>2) map:c", "(player:a weapon:b map:c) OR (player:a kills>2 map:c)"),
        (
            "(player:a OR player:b) (frags>1 OR frags<0)",
            "player:a frags>1 OR player:a frags<0 OR player:b frags>1 OR player:b frags<0",
        ),
        ("speaker:a (chat:b OR chat:c)", "speaker:a chat:b OR speaker:a chat:c"),
        // What is about the recording as a whole stays as it is.
        ("player:a (map:b OR map:c)", "player:a (map:b OR map:c)"),
        ("(player:a OR player:b) -map:c", "(player:a OR player:b) -map:c"),
    ] {
        assert_eq!(made(query), read(as_if), "{query}");
    }
    assert_eq!(made("player:a -frags>3"), "(player=a & !frags>3)");
    assert_eq!(made("-frags>3 player:a player:b"), "(!frags>3 & player=a & player=b)");
    assert_eq!(made("player:a player:b -weapon:c"), "(player=a & player=b & !weapon=c)");
    assert_eq!(
        made("player:a weapon:b -(map:c OR kills>5)"),
        "(player=a & weapon=b & !((weapon=b & map=c) | (weapon=b & kills>5)))"
    );
    assert_eq!(made("speaker:a -chat:b"), "(speaker=a & !(speaker=a & chat=b))");
    assert_eq!(made("player:a -map:b -player:c"), "(player=a & !map=b & !player=c)");
    let many = "(player:a OR player:b) ".repeat(20);
    assert!(error(&many).to_string().contains("written out"));
}

/// No text of a query comes into the SQL.
#[test]
fn values_are_bound() {
    let hostile = r#"x'); DROP TABLE demos; --"#;
    for key in ["player", "team", "weapon", "map", "server", "chat", "speaker", "file", "sha256", "text", "winner"] {
        let query = format!("{key}:\"{hostile}\"");
        let condition = Maker { query: &query }.of(&parse(&query).unwrap()).unwrap();
        assert!(!condition.sql.to_ascii_uppercase().contains("DROP"), "{}", condition.sql);
        assert_eq!(condition.sql.matches('?').count(), condition.values.len(), "{}", condition.sql);
    }
}
