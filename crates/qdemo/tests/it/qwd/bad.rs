//! Texts that make no sense.

use qdemo::text::{Options, compile_bytes, decompile_bytes};

use super::build::{CLIENT, MULTIVIEW, Server};

/// The text of a recording with a message put in front of its last block's end.
fn compile_with(server: Server, statement: &str) -> qdemo::Result<Vec<u8>> {
    let demo = server.demo(&[b"\x01"]);
    let text = String::from_utf8(decompile_bytes(&demo, server.name(), &Options::default()).unwrap()).unwrap();
    assert_eq!(text.matches("\n nop;").count(), 1, "{text}");
    compile_bytes(text.replace("\n nop;", &format!("\n {statement}")).as_bytes(), "t")
}

/// Statements that look right at a glance are refused, not guessed at.
#[test]
fn nonsense_is_not_accepted() {
    let plain = "packetentities { packetentity { entity 33;";
    let old = Server { protocol: 26, ..CLIENT };
    let fte = Server { fte: 0x0148_7008, ..CLIENT };
    let hiding = Server { mvd1: 0x20, ..MULTIVIEW };
    let player = "playerinfo { player 0; origin 0 0 0; frame 0;";
    let cases = [
        (CLIENT, "setview 1;".to_owned(), "there is no message setview"),
        (CLIENT, "disconnect \"bye\";".to_owned(), "the text of disconnect is \"EndOfDemo\""),
        (CLIENT, "mvdplayerinfo { player 0; frame 0; }".to_owned(), "this protocol has no such message"),
        (
            CLIENT,
            "sound { channel 8; entity 1; soundnum 1; origin 0 0 0; }".to_owned(),
            "channel wants a whole number from 0 to 7",
        ),
        (
            CLIENT,
            "sound { channel 0; entity 1024; soundnum 1; origin 0 0 0; }".to_owned(),
            "entity wants a whole number from 0 to 1023",
        ),
        (CLIENT, "sound { channel 0; entity 1; vol 1.5; soundnum 1; origin 0 0 0; }".to_owned(), "vol does not fit"),
        (CLIENT, "nails { nail { origin 1 0 0; angles_1 0; angles_2 0; } }".to_owned(), "a nail is at even units"),
        (
            CLIENT,
            "nails { nail { id 1; origin 0 0 0; angles_1 0; angles_2 0; } }".to_owned(),
            "nails2 has numbered nails",
        ),
        (CLIENT, format!("{plain} alpha 1; }} }}"), "a field that this protocol has no bit for"),
        (CLIENT, format!("{plain} modelindex 300; }} }}"), "cannot be written"),
        (CLIENT, "packetentities { packetentity { entity 512; } }".to_owned(), "cannot be written"),
        (CLIENT, "packetentities { packetentity { entity 0; } }".to_owned(), "its mask would end the list"),
        (fte, format!("{plain} modelindex 512; }} }}"), "needs long_modelindex"),
        (fte, "packetentities { packetentity { entity 2048; } }".to_owned(), "a whole number from 0 to 2047"),
        (fte, format!("{plain} colormod 1 2; }} }}"), "a colour is three numbers"),
        (CLIENT, format!("{player} alpha 1; }}"), "a field that this protocol has no bit for"),
        (CLIENT, format!("{player} prediction 0x00; }}"), "weapon prediction was not announced"),
        (CLIENT, format!("{player} speed_x 40000; angles_1 0; }}"), "playerinfo has no field"),
        // Up to protocol 26 a speed is a byte.
        (
            old,
            format!("{player} angles_2 0; speed_x 300; }}"),
            "speed_x wants a whole number from -128 to 255, found 300",
        ),
        (CLIENT, "qizmovoice { data 1 2 3; }".to_owned(), "a piece of Qizmo's voice has 34 bytes"),
        (CLIENT, "download { size 2; percent 0; data 1; }".to_owned(), ""),
        (old, "serverdata { serverversion 29; age 1; game \"\"; client 0; mapname \"\"; }".to_owned(), ""),
        (MULTIVIEW, "setangle 0 0 0;".to_owned(), "a byte stands in front of the angles here"),
        (
            hiding,
            "hidden_damage { deathtype 1; attacker 1; victim 1; damage 1; }".to_owned(),
            "this protocol has no such message",
        ),
    ];
    for (server, statement, what) in cases {
        let error = compile_with(server, &statement).expect_err(&statement);
        assert!(error.to_string().contains(what), "{statement}: {error}");
    }
    // What is right compiles, so that the frame around these is not at fault.
    compile_with(CLIENT, "cdtrack 5;").unwrap();
    compile_with(fte, &format!("{plain} modelindex 511; }} }}")).unwrap();
    compile_with(old, &format!("{player} angles_2 0; speed_x -50; }}")).unwrap();
}
