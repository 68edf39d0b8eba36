//! What the tests share: a folder of their own, a demo, containers written by hand.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A file of `testdata`.
pub(crate) fn testdata(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name)).unwrap()
}

/// A short recording of protocol 15.
pub(crate) fn recording() -> Vec<u8> {
    testdata("dm13-15.dem")
}

/// A short recording: protocol 999, 1,104 blocks, 9,344 messages, one level, one player. QuakeSpasm's own log of
/// playing it (`cl_shownet 2`) has as many blocks and messages.
pub(crate) fn clip() -> Vec<u8> {
    testdata("clip.dem")
}

/// A folder of its own, removed in the end. The command runs in it.
pub(crate) struct Place {
    folder: temp_dir::TempDir,
}

/// What the command did.
pub(crate) struct Done {
    pub(crate) code: i32,
    pub(crate) out: Vec<u8>,
    pub(crate) err: String,
}

impl Place {
    /// An empty folder.
    pub(crate) fn new() -> Self {
        Place { folder: temp_dir::TempDir::new().unwrap() }
    }

    /// A folder with `demo1.dem` in it.
    pub(crate) fn with_clip() -> Self {
        let place = Place::new();
        place.write("demo1.dem", &clip());
        place
    }

    /// A folder with these files of `testdata` in it.
    pub(crate) fn with(names: &[&str]) -> Self {
        let place = Place::new();
        names.iter().for_each(|name| place.write(name, &testdata(name)));
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// The names in the folder, sorted.
    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        names(&self.path(folder))
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_qdemo"));
        command.current_dir(self.folder.path());
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "RUST_BACKTRACE"] {
            command.env_remove(name);
        }
        command
    }

    /// Runs the command.
    pub(crate) fn run(&self, args: &[&str]) -> Done {
        self.run_with(args, b"")
    }

    /// Runs the command while nobody reads what it prints.
    pub(crate) fn run_unread(&self, args: &[&str]) -> Done {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_qdemo"));
        command.current_dir(self.folder.path()).args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        Done::of(child.wait_with_output().unwrap())
    }

    /// Runs the command with something on standard input.
    pub(crate) fn run_with(&self, args: &[&str], input: &[u8]) -> Done {
        let mut command = self.command();
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // The command may print while it still reads, and may end before it has read everything.
        std::thread::scope(|scope| {
            // A pipe gives what is there, which may be little at first.
            scope.spawn(move || {
                let (first, rest) = input.split_at(input.len().min(512));
                stdin.write_all(first)?;
                std::thread::sleep(std::time::Duration::from_millis(20));
                stdin.write_all(rest)
            });
            Done::of(child.wait_with_output().unwrap())
        })
    }
}

impl Done {
    fn of(output: Output) -> Self {
        Done { code: output.status.code().unwrap(), out: output.stdout, err: String::from_utf8(output.stderr).unwrap() }
    }

    /// Standard output as text.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.out).unwrap()
    }

    /// Standard output as JSON, one object a line and nothing else.
    pub(crate) fn objects(&self) -> Vec<Value> {
        let objects: Vec<Value> = self.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(objects.iter().all(Value::is_object));
        objects
    }

    /// Asserts the exit code; shows the diagnostics otherwise.
    pub(crate) fn ends(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}", self.err);
        self
    }

    /// Asserts that a diagnostic says something.
    pub(crate) fn says(self, what: &str) -> Self {
        assert!(self.err.contains(what), "`{what}` is missing in: {}", self.err);
        self
    }

    /// Asserts that the result shows something.
    pub(crate) fn shows(self, what: &str) -> Self {
        assert!(self.text().contains(what), "`{what}` is missing in: {}", self.text());
        self
    }

    /// Asserts that there are no diagnostics.
    pub(crate) fn in_silence(self) -> Self {
        assert_eq!(self.err, "");
        self
    }
}

/// The verbs, as `qdemo --help` lists them; all but `help`.
pub(crate) fn verbs() -> Vec<String> {
    let help = Place::new().run(&["--help"]).ends(0);
    let lines = help.text().lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // What goes on with a description stands further to the right.
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let verbs: Vec<_> = names.filter(|name| !matches!(*name, "" | "help")).map(str::to_owned).collect();
    assert!(verbs.len() >= 20 && verbs.iter().any(|verb| verb == "info"), "{}", help.text());
    verbs
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

/// A PAK: `PACK`, place and size of the directory, the files, then 64 bytes for each in the directory.
pub(crate) fn pak(files: &[(&str, &[u8])]) -> Vec<u8> {
    let number = |n: usize| u32::try_from(n).unwrap().to_le_bytes();
    let (mut data, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes) in files {
        let mut field = [0; 56];
        field[..name.len()].copy_from_slice(name.as_bytes());
        directory.extend_from_slice(&field);
        directory.extend_from_slice(&number(12 + data.len()));
        directory.extend_from_slice(&number(bytes.len()));
        data.extend_from_slice(bytes);
    }
    [b"PACK".as_slice(), &number(12 + data.len()), &number(directory.len()), &data, &directory].concat()
}

/// A ZIP whose files are not packed: each with its header, then the directory, and where that is.
pub(crate) fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let number = |n: usize| u32::try_from(n).unwrap().to_le_bytes();
    let (mut data, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes) in files {
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        let sum = crc.sum().to_le_bytes();
        let header = [&[20, 0][..], &[0; 8], &sum, &number(bytes.len()), &number(bytes.len()), &number(name.len())];
        let header = header.concat();
        directory.extend([b"PK\x01\x02\x14\0", &header[..], &[0; 10], &number(data.len()), name.as_bytes()].concat());
        data.extend([b"PK\x03\x04", &header[..], name.as_bytes(), bytes].concat());
    }
    let count = &number(files.len())[..2];
    let end = [b"PK\x05\x06\0\0\0\0", count, count, &number(directory.len()), &number(data.len()), &[0; 2]].concat();
    [data, directory, end].concat()
}

/// A tar: of each file name, size and the sum of its header, in octal digits, then its bytes in blocks of 512.
pub(crate) fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, bytes) in files {
        let mut header = [0; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[124..135].copy_from_slice(format!("{:011o}", bytes.len()).as_bytes());
        header[156] = b'0';
        header[257..265].copy_from_slice(b"ustar\x0000");
        header[148..156].fill(b' ');
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        out.extend_from_slice(&header);
        out.extend_from_slice(bytes);
        out.resize(out.len().next_multiple_of(512), 0);
    }
    out.resize(out.len() + 1024, 0);
    out
}
