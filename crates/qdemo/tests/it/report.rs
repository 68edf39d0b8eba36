//! Reports: what stands in them is what the recording tells, and it is text whatever it is.

use qdemo::Limits;
use qdemo::analysis::stats::Measure;
use qdemo::report::{self, Report};
use qdemo::view::{Mark, MarkKind, Who};

use crate::common::testdata;

fn read(name: &str) -> Report {
    report::read(&testdata(name)[..], name, Limits::default()).unwrap().0
}

/// The texts of cells in a row of a table.
fn cells(row: &str) -> Vec<String> {
    let texts = row.split('<').filter_map(|tag| tag.split_once('>'));
    texts.filter(|(tag, _)| tag.starts_with("t")).map(|(_, text)| text.to_owned()).collect()
}

#[test]
fn who_killed_whom_adds_up() {
    let report = read("oa-dm4.dm_71");
    let page = report.to_html();
    let table = page.split_once("Who killed whom").unwrap().1.split_once("</table>").unwrap().0;
    let rows: Vec<_> = table.split("<tr>").skip(2).map(cells).collect();
    let sum: usize = rows.iter().flat_map(|row| &row[1..]).filter_map(|cell| cell.parse::<usize>().ok()).sum();
    let [from, to] = [report.periods[0].begin, report.periods[0].end].map(|clock| clock.demo.ms());
    let is = |mark: &&Mark| matches!(mark.kind, MarkKind::Frag { .. }) && (from..=to).contains(&mark.demo_ms);
    assert_eq!(sum, report.replay.about.marks.iter().filter(is).count());
    let names: Vec<_> = rows.iter().map(|row| &row[0]).collect();
    for player in report.periods[0].players.iter().filter(|player| names.contains(&&player.who.name)) {
        let at = names.iter().position(|name| **name == player.who.name).unwrap() + 1;
        let deaths: i64 = rows.iter().filter_map(|row| row[at].parse::<i64>().ok()).sum();
        assert_eq!(Some(deaths), player.counted.get(Measure::Deaths), "{}", player.who.name);
    }
}

/// What happens between rounds counts neither in tables nor in pictures.
#[test]
fn deaths_between_rounds_are_in_no_picture() {
    let mut report = read("oa-dm4.dm_71");
    let [from, to] = [report.periods[0].begin, report.periods[0].end];
    let mut middle = from;
    middle.demo = qdemo::world::DemoTime::from_ms((from.demo.ms() + to.demo.ms()) / 2);
    let deaths = |report: &Report| {
        let page = report.to_html();
        let number =
            |behind: &str| page.split_once(behind)?.1.split_once(" death")?.0.rsplit('>').next()?.parse::<usize>().ok();
        number("<title>Deaths on").unwrap()
    };
    let until = |ms: i64| {
        let is =
            |mark: &&Mark| matches!(mark.kind, MarkKind::Frag { .. }) && (from.demo.ms()..=ms).contains(&mark.demo_ms);
        report.replay.about.marks.iter().filter(is).count()
    };
    let [some, all] = [middle, to].map(|clock| until(clock.demo.ms()));
    assert_eq!(deaths(&report), all);
    report.periods[0].game.as_mut().unwrap().rounds = vec![[from, middle]];
    assert!(some < all);
    assert_eq!(deaths(&report), some);
}

#[test]
fn pages_run_no_script_and_ask_for_nothing() {
    let mut report = read("oa-dm4.dm_71");
    let evil = "</title></text></style><script>alert(1)</script><img src=x onerror=alert(1)>\u{1}\"'&";
    report.replay.about.file = evil.to_owned();
    report.replay.about.levels[0].map = evil.to_owned();
    report.replay.about.strings.iter_mut().filter(|it| *it == "Sarge").for_each(|it| *it = evil.to_owned());
    report.periods[0].map = evil.to_owned();
    for player in &mut report.periods[0].players {
        player.who.name = evil.to_owned();
        player.who.team = Some(evil.to_owned());
    }
    let who = Who { slot: None, name: evil.to_owned() };
    let demo_ms = report.periods[0].begin.demo.ms() + 1;
    let chat = MarkKind::Chat { speaker: Some(who.clone()), text: evil.to_owned(), team: false };
    let highlight = MarkKind::Highlight { player: who, text: evil.to_owned(), lasted_ms: 1 };
    report.replay.about.marks.extend([chat, highlight].map(|kind| Mark { demo_ms, kind }));
    let page = report.to_html();
    assert!(page.contains("Chat</summary>") && page.contains("Highlights</summary>"));
    // What stands between < and > is ours.
    for tag in page.split('<').skip(1).filter_map(|tag| tag.split_once('>')).map(|(tag, _)| tag) {
        let wrong = [" style=", " src=", " href=", " on", "url(", "alert", "script"];
        assert_eq!(wrong.iter().find(|it| tag.contains(**it)), None, "{tag}");
    }
    assert!(page.contains("default-src 'none'"));
}
