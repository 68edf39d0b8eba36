//! Options that raise what bounds the work on a file: one for every bound that an error names.

use clap::Args;
use qdemo::Limits;

/// Options of every verb, seldom needed.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitArgs {
    /// Refuse to unpack more than this from one file, all members and levels of archives together, such as 500M or 64G
    /// [default: 16G]; of a pipe or a device no more is read
    #[arg(long, value_name = "SIZE", value_parser = size, global = true)]
    max_unpacked: Option<u64>,

    /// Refuse to hold a file larger than this in memory: an archive in an archive, a recording for verbs that want all of
    /// it [default: 4G]
    #[arg(long, value_name = "SIZE", value_parser = size, global = true, hide_short_help = true)]
    max_held: Option<u64>,

    /// Refuse archives of more files than this [default: 65536]
    #[arg(long, value_name = "N", global = true, hide_short_help = true)]
    max_entries: Option<usize>,

    /// Refuse containers in containers deeper than this [default: 4]
    #[arg(long, value_name = "N", global = true, hide_short_help = true)]
    max_depth: Option<usize>,

    /// Take larger blocks for damage [default: 1M]
    #[arg(long, value_name = "SIZE", value_parser = size, global = true, hide_short_help = true)]
    max_block: Option<u64>,

    /// Refuse texts whose braces nest deeper than this [default: 16]
    #[arg(long, value_name = "N", global = true, hide_short_help = true)]
    max_nesting: Option<usize>,

    /// Refuse texts with a statement longer than this [default: 256M]
    #[arg(long, value_name = "SIZE", value_parser = size, global = true, hide_short_help = true)]
    max_statement: Option<u64>,
}

impl LimitArgs {
    /// The limits that they ask for.
    pub(crate) fn limits(&self) -> Limits {
        let mut limits = Limits::default();
        let in_memory = |size: u64| usize::try_from(size).unwrap_or(usize::MAX);
        limits.unpacked = self.max_unpacked.unwrap_or(limits.unpacked);
        limits.held = self.max_held.unwrap_or(limits.held);
        limits.entries = self.max_entries.unwrap_or(limits.entries);
        limits.depth = self.max_depth.unwrap_or(limits.depth);
        limits.block = self.max_block.map_or(limits.block, in_memory);
        limits.nesting = self.max_nesting.unwrap_or(limits.nesting);
        limits.statement = self.max_statement.map_or(limits.statement, in_memory);
        limits
    }
}

/// A number of bytes: `1000`, `500M`, `2GiB`. Units are powers of 1024.
fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        unit => return Err(format!("unknown unit {unit}: use K, M, G or T")),
    };
    let number: u64 = digits.parse().map_err(|_| "a whole number of bytes, with K, M, G or T behind it".to_owned())?;
    number.checked_mul(1 << shift).ok_or_else(|| "too large".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use qdemo::Bound;

    #[test]
    fn every_bound_has_its_option() {
        let command = crate::cli::Cli::command();
        for bound in Bound::ALL {
            let option = bound.option().strip_prefix("--").unwrap();
            assert!(command.get_arguments().any(|arg| arg.get_long() == Some(option)), "{option}");
        }
    }

    #[test]
    fn sizes_have_binary_units() {
        assert_eq!(size("1000"), Ok(1000));
        assert_eq!(size("500M"), Ok(500 << 20));
        assert_eq!(size("2GiB"), Ok(2 << 30));
        for bad in ["", "M", "1X", "-1", "1.5G", "99999999999T"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }
}
