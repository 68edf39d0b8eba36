//! What stands behind the end of packed data: no part of it, and not lost either.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, BufRead};
use std::sync::{Arc, Mutex, PoisonError};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use super::ContainerKind;
use crate::json::row;

row! {
    /// Bytes behind the end of what a container packs. The container is whole; these are no part of it, such as the
    /// line end that a transfer as text has put behind a file.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct Behind {
        /// What ends in front of them.
        pub container: ContainerKind,
        /// Where they begin in the packed file, in bytes.
        pub offset: u64,
        /// How many there are.
        #[serde(rename = "bytes")]
        pub len: u64,
        /// The bytes, at most [`Behind::KEPT`] of them.
        #[serde(skip)]
        pub kept: Vec<u8>,
    }
    |behind| -> Beginning { Beginning { begins_with: behind.beginning() } }
}

/// How the bytes begin.
#[derive(Serialize, JsonSchema)]
struct Beginning {
    /// The first bytes, at most 16, in hexadecimal digits.
    begins_with: String,
}

impl Behind {
    /// So many bytes are kept; more are counted.
    pub const KEPT: usize = 1 << 20;

    /// The first bytes, hexadecimal.
    pub fn beginning(&self) -> String {
        let shown = self.kept.iter().take(16).map(|byte| format!("{byte:02X}"));
        shown.collect::<Vec<_>>().join(" ")
    }

    /// Reads what is left; `None` when that is nothing.
    pub(super) fn read(container: ContainerKind, offset: u64, input: &mut impl BufRead) -> io::Result<Option<Behind>> {
        let mut behind = Behind { container, offset, len: 0, kept: Vec::new() };
        loop {
            let bytes = match input.fill_buf() {
                Ok([]) => break,
                Ok(bytes) => bytes,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(e),
            };
            let room = Behind::KEPT - behind.kept.len();
            behind.kept.extend_from_slice(&bytes[..room.min(bytes.len())]);
            let n = bytes.len();
            behind.len += n as u64;
            input.consume(n);
        }
        Ok((behind.len > 0).then_some(behind))
    }
}

/// Passes over zeros, with which tapes and disks fill a block up, and tells how many there were.
pub(super) fn skip_zeros(input: &mut impl BufRead) -> io::Result<u64> {
    let mut all = 0;
    loop {
        let rest = match input.fill_buf() {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            rest => rest?,
        };
        let zeros = rest.iter().take_while(|&&byte| byte == 0).count();
        let more = zeros > 0 && zeros == rest.len();
        input.consume(zeros);
        all += zeros as u64;
        if !more {
            return Ok(all);
        }
    }
}

/// As people are told: `2 bytes behind the end of the gzip data, at byte 1234: 0D 0A`.
impl fmt::Display for Behind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (bytes, more) = (if self.len == 1 { "byte" } else { "bytes" }, if self.len > 16 { " ..." } else { "" });
        let (len, kind, at, beginning) = (self.len, self.container.name(), self.offset, self.beginning());
        write!(f, "{len} {bytes} behind the end of the {kind} data, at byte {at}: {beginning}{more}")
    }
}

/// Where readers of containers leave what they found behind the end; the file that is read shares it.
#[derive(Debug, Clone, Default)]
pub struct Remains(Arc<Mutex<Vec<Behind>>>);

impl Remains {
    /// What was found so far, outermost container first. All of it is known when the file has been read to its end.
    pub fn found(&self) -> Vec<Behind> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn add(&self, behind: Behind) {
        let mut found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // What is opened again is told once.
        if !found.contains(&behind) {
            found.push(behind);
        }
    }
}

impl Serialize for Remains {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.found().serialize(serializer)
    }
}

impl JsonSchema for Remains {
    fn schema_name() -> Cow<'static, str> {
        "Remains".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<Behind>::json_schema(generator)
    }
}
