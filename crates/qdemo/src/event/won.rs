//! Who won a match, as servers say it.

/// Who won, as the server says it.
#[derive(Debug, Clone)]
pub(crate) struct Won {
    /// Name of the team or player.
    pub(crate) name: String,
    /// The scores of whoever won, and of whoever lost.
    pub(crate) scores: Option<[i32; 2]>,
}

impl Won {
    /// What a printed text says.
    pub(crate) fn by_text(text: &str) -> Option<Self> {
        text.lines().find_map(Won::by_line)
    }

    /// The scores of two players, where they are all who play and whoever won is one of them: in the order of `names`.
    pub(crate) fn scores_of_two(&self, names: [&str; 2]) -> Option<[i32; 2]> {
        let [winner, loser] = self.scores?;
        match names.map(|name| name == self.name) {
            [true, false] => Some([winner, loser]),
            [false, true] => Some([loser, winner]),
            _ => None,
        }
    }

    /// What a line says: OpenTDM's `NAME wins, 17 to 7.` and `NAME wins by forfeit!`, where the name is that of a team or, of
    /// two who play for themselves, of one of them. (Source: `TDM_EndMatch` of its game module.)
    fn by_line(line: &str) -> Option<Self> {
        let line = line.trim();
        if let Some(name) = line.strip_suffix(" wins by forfeit!") {
            return Some(Won { name: name.to_owned(), scores: None });
        }
        let (name, scores) = line.strip_suffix('.')?.rsplit_once(" wins, ")?;
        let (first, second) = scores.split_once(" to ")?;
        Some(Won { name: name.to_owned(), scores: Some([first.parse().ok()?, second.parse().ok()?]) })
    }
}
