//! Files on disk.

use super::build::*;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("qdemo-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn add(&self, name: &str, data: &[u8]) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, data).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn files_are_opened_by_location() {
    let folder = Folder::new("open");
    let limits = Limits::default();
    let data = sample(200_000);
    let file = |text: &str| match open(&Location::parse(text), &limits).unwrap() {
        Opened::File(mut file) => {
            assert_eq!(file.name, text);
            file.read_all(&limits).unwrap()
        }
        Opened::Listing(l) => panic!("a listing of {}", l.name),
    };
    let plain = folder.add("demo.dem", &data);
    let gz = folder.add("demo.mvd.gz", &gzip(&data));
    let pk = folder.add("pak0.pak", &pak(&[("a.dem", b"a"), ("demo1.dem", &data)]));
    let pk3 = folder.add("x.pk3", &zip(&[deflated("pak0.pak", &pak(&[("demo1.dem", &data)]))]));
    assert_eq!(file(&plain), data);
    assert_eq!(file(&gz), data);
    assert_eq!(file(&format!("{pk}:demo1.dem")), data);
    assert_eq!(file(&format!("{pk3}:pak0.pak:demo1.dem")), data);

    // Members of one archive are read side by side.
    let Opened::Listing(l) = open(&Location::file(&pk), &limits).unwrap() else { panic!() };
    let mut pair = [1, 1].map(|i| match l.open(i, &limits).unwrap() {
        Opened::File(file) => file,
        Opened::Listing(_) => panic!(),
    });
    let mut halves = [[0; 1000]; 2];
    for part in 0..200 {
        for (file, half) in pair.iter_mut().zip(&mut halves) {
            file.read_exact(half).unwrap();
            assert_eq!(half[..], data[part * 1000..][..1000]);
        }
    }

    let e = open(&Location::parse(&format!("{plain}.gone")), &limits).unwrap_err();
    assert!(matches!(&e.kind, error::ErrorKind::Io(e) if e.kind() == std::io::ErrorKind::NotFound));
    assert_eq!(e.place.file, Some(format!("{plain}.gone")));
    assert!(open(&Location::file(&folder.0), &limits).is_err());
}

#[test]
fn locations_are_split_where_a_file_ends() {
    let folder = Folder::new("location");
    let pk = folder.add("pak0.pak", b"PACK");
    let parts = |text: &str| {
        let location = Location::parse(text);
        assert_eq!(location.to_string(), text);
        (location.path.to_str().unwrap().to_owned(), location.members)
    };
    assert_eq!(parts(&pk), (pk.clone(), vec![]));
    assert_eq!(parts(&format!("{pk}:a.dem")), (pk.clone(), at("a.dem")));
    assert_eq!(parts(&format!("{pk}:b.zip:c")), (pk.clone(), at("b.zip:c")));
    // What does not exist is not split, so a drive letter stays where it is.
    assert_eq!(parts("C:\\gone.pak:a.dem").0, "C:\\gone.pak:a.dem");
    assert_eq!(parts("-"), ("-".to_owned(), vec![]));
    assert_eq!(parts("-:a.dem"), ("-".to_owned(), at("a.dem")));
    assert!(Location::parse("-:a.dem").is_stdin());
    assert_eq!(Location::parse(&format!("{pk}:")).members, [""; 0]);
    #[cfg(unix)]
    {
        let colon = folder.add("pak0.pak:a.dem", b"demo");
        assert_eq!(parts(&colon), (colon.clone(), vec![]));
        assert_eq!(parts(&format!("{colon}:b")), (colon.clone(), at("b")));
    }
}

#[test]
fn sources_can_go_to_another_thread() {
    fn sent<T: Send>() {}
    sent::<Source>();
    sent::<Listing>();
}

#[test]
fn a_missing_file_is_named() {
    let error = open(&Location::file("no/such/file.dem"), &Limits::default()).err().unwrap();
    assert!(matches!(error.kind, error::ErrorKind::Io(_)));
    assert!(error.to_string().contains("no/such/file.dem"), "{error}");
}
