//! Recordings in memory that are changed.

use qdemo::demo::{Demo, Recording};
use qdemo::format::dm2::{self, Dm2};
use qdemo::format::{Packet, dem, dm3, mvd, mvd2, qwd};
use qdemo::wire::Str;

use super::Samples;

fn shipped<F: Samples>() -> Recording<F> {
    Recording::read(F::shipped(), F::SHIPPED).unwrap()
}

/// Readers take what stands behind the NUL for something else.
#[test]
fn a_string_with_a_nul_is_not_written() {
    fn refused<F: Samples>(change: fn(&mut F::Message<'_>) -> bool) {
        let mut demo = shipped::<F>();
        assert!(demo.edit_messages(change) > 0, "{}", F::NAME);
        let error = demo.to_bytes().unwrap_err();
        assert!(error.to_string().contains("a string with a NUL in it"), "{}: {error}", F::NAME);
        assert!(error.place.block.is_some() && error.place.message.is_some(), "{}: {error}", F::NAME);
    }
    fn set(string: &mut Str<'_>) -> bool {
        *string = "hi\0there".into();
        true
    }
    refused::<dem::Dem>(|message| match message {
        dem::Message::Print(m) => set(&mut m.text),
        _ => false,
    });
    refused::<qwd::Qwd>(|message| match message {
        qwd::Message::StuffText(m) => set(&mut m.text),
        _ => false,
    });
    refused::<mvd::Mvd>(|message| match message {
        qwd::Message::Print(m) => set(&mut m.string),
        _ => false,
    });
    refused::<Dm2>(|message| match message {
        dm2::Message::ConfigString(m) => set(&mut m.string),
        _ => false,
    });
    refused::<mvd2::Mvd2>(|message| match message {
        mvd2::Message::ServerData(m) => set(&mut m.configstrings[0].1),
        _ => false,
    });
    let restart = dm2::LevelRestart { strings: dm2::ChangedStrings(vec![(5, "a\0b".into())]) };
    let packet: Packet<'_, Dm2> = dm2::Packet::new(vec![restart.into()]);
    let fault = packet.to_bytes(dm2::Dialect::announced(2023, 1)).unwrap_err();
    assert!(fault.to_string().contains("a string with a NUL in it"), "{fault}");
}

/// Threads may share a recording.
#[test]
fn recordings_may_be_shared() {
    fn shared<T: Send + Sync>() {}
    shared::<Demo>();
    shared::<Recording<dem::Dem>>();
    shared::<Recording<qwd::Qwd>>();
    shared::<Recording<Dm2>>();
    shared::<Recording<dm3::Dm3>>();
}
