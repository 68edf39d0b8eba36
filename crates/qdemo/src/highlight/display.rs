//! Highlights in words for people.

use std::fmt;

use super::{Highlight, HighlightKind};

impl fmt::Display for Highlight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = |ms: i64| format!("{}.{:03} s", ms / 1000, ms % 1000);
        let lasted = seconds(self.lasted.ms());
        let victims: Vec<_> = self.victims.iter().map(|who| who.name.as_str()).collect();
        let victims = victims.join(", ");
        match self.kind {
            HighlightKind::MultiKill => write!(f, "{} kills in {lasted}: {victims}", self.count)?,
            HighlightKind::Streak => write!(f, "{} kills in {lasted} without dying", self.count)?,
            HighlightKind::OneShot => write!(f, "{} kills with one shot: {victims}", self.count)?,
            HighlightKind::MidAir => {
                let what = if self.killed { "kills" } else { "hits" };
                write!(f, "{what} {victims} in the air")?;
            }
            HighlightKind::Flick => write!(f, "kills {victims} after a turn")?,
        }
        let mut numbers = Vec::new();
        if let Some((degrees, time)) = self.proof.turned {
            numbers.push(format!("{degrees:.0} degrees in {} ms", time.ms()));
        }
        if let (Some(time), Some(height)) = (self.proof.airborne, self.proof.height) {
            numbers.push(format!("{} in flight, {height:+.0} units", seconds(time.ms())));
        }
        if let Some(distance) = self.proof.distance {
            numbers.push(format!("{distance:.0} units away"));
        }
        if !numbers.is_empty() {
            write!(f, " ({})", numbers.join("; "))?;
        }
        Ok(())
    }
}
