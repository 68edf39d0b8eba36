//! Quake II: protocols of clients, recordings of all players to those of one.

use super::{Loss, Mapping, mappings};

mappings! {
    /// Protocols 26 to 33 to 34.
    pub(super) const PROTOCOL: [
        "serverdata.serverversion, serverdata.isdemo" => "the same", "34, and that it is a recording";
        "frame.suppress" => "frame.suppress", "0 where the input does not tell it";
        "temp_entity.effect" => "temp_entity.effect", "before 32 green blood was 27, and plasma's trail 26", loses Effect;
    ];

    /// What a server recorded, or Relay, as the client of one player does.
    pub(super) const FROM_SERVER: [
        "player.areas" => "frame.areas", "in recordings of Relay, all areas";
        "unicast" => "its message", "where it is for the player", loses Others;
        "playerinfo" => "playerinfo", "of the player; where the recording does not tell it, from the player's entity",
            loses Stat, Movement;
        "packetentities" => "packetentities", "the difference to the frame before";
    ];

    /// States where layouts differ.
    pub(super) const STATES: [
        "serverdata.serverversion" => "serverdata.serverversion", "the protocol of the output";
        "configstring.index, configblast.packed, level_restart.strings" => "configstring.index",
            "the number that it has in the target", loses Name, Picture, Rerelease;
        "packetentity.entity" => "packetentity.entity", "numbers that the target lacks get free ones", loses Entity;
        "packetentity.modelindex, packetentity.modelindex2, packetentity.modelindex3, packetentity.modelindex4" =>
            "the same", "renumbered where the target has fewer", loses Model;
        "packetentity.modelindex5, packetentity.modelindex6" => "the same", "of KMQuake2", loses Model;
        "packetentity.effects, packetentity.morefx" => "packetentity.effects", "", loses Effect;
        "packetentity.alpha" => "packetentity.alpha", "of KMQuake2, Q2PRO's extended demos and the re-release", loses Alpha;
        "packetentity.scale" => "packetentity.scale", "of Q2PRO's extended demos and the re-release", loses Scale;
        "packetentity.instance, packetentity.owner, packetentity.old_frame" => "the same", "of the re-release",
            loses Rerelease;
        "packetentity.sound" => "packetentity.sound", "renumbered where the target has fewer", loses Sound;
        "packetentity.loop_attenuation" => "packetentity.loop_attenuation", "", loses Volume;
        "packetentity.origin_x, packetentity.origin_y, packetentity.origin_z, packetentity.old_origin, playerinfo.origin" =>
            "the same", "the nearest place", loses Place, FarPlace;
        "packetentity.angles_1, packetentity.angles_2, packetentity.angles_3, playerinfo.viewangles, \
         playerinfo.kick_angles" => "the same", "the nearest angle", loses Angle;
        "packetentity.solid" => "packetentity.solid", "boxes in steps of 8 units where the target has those";
        "playerinfo.viewoffset" => "playerinfo.viewoffset", "", loses Place;
        "playerinfo.velocity, playerinfo.pm_flags" => "the same", "", loses Movement;
        "playerinfo.pm_type, playerinfo.pm_time" => "the same", "in the numbers and steps of the target";
        "playerinfo.maxspeed, playerinfo.duckspeed, playerinfo.waterspeed, playerinfo.accel, playerinfo.stopspeed, \
         playerinfo.gunskin, playerinfo.gunskin2, playerinfo.gunframe2, playerinfo.gunrate" => "the same",
            "where the target has them";
        "playerinfo.gunindex, playerinfo.gunindex2" => "the same", "the second one is KMQuake2's", loses Model;
        "playerinfo.gunframe" => "playerinfo.gunframe", "up to 255, of the re-release 511", loses Frame;
        "playerinfo.stats" => "playerinfo.stats", "32 or 64; numbers of texts are those of the target", loses Stat;
        "playerinfo.blend" => "playerinfo.blend", "", loses Blend;
        "playerinfo.fog, fog, fog_change" => "the same", "where the target has fog", loses Fog;
        "test_spawnbaseline, test_packetentities, test_playerinfo" => "spawnbaseline, packetentities, playerinfo",
            "of the test release; 90 degrees of view and eyes at 22, which it does not tell";
        "frame.seq1" => "frame.seq1", "the frames of ten a second where the target knows no other rate", loses Rate;
        "setting" => "setting", "the rate of frames", loses Extension;
        "splitclient" => "", "what was told to others at the same screen", loses Others;
        "sound" => "sound", "the place where the target wants it", loses Sound;
        "temp_entity.effect" => "temp_entity.effect", "of the re-release those that look most like it", loses Effect;
        "muzzleflash3" => "muzzleflash2", "up to number 210", loses Effect;
        "locprint" => "print, centerprint", "the text with its arguments; texts by name stay names", loses Rerelease;
        "print.level" => "centerprint", "levels above 3 of the re-release";
        "bot_chat" => "print";
        "damage, waitingforplayers, poi, help_path, achievement" => "", loses Rerelease;
        "bad" => "", loses Message;
    ];

    /// Q2PRO's multi-view recordings as a client records.
    pub(super) const FROM_MULTIVIEW: [
        "serverdata" => "serverdata, configstring, spawnbaseline",
            "a level as the player's client is told of it";
        "configstring" => "configstring";
        "frame" => "frame, playerinfo, packetentities", "of the player; of players whose state is not told, from the entity; \
            velocity and whether players stand are not told: `pm_flags` has 64 (no prediction), and `pm_type` 4 in place of 0, as \
            Q2PRO shows players of such a recording", loses Stat, Movement;
        "unicast" => "its messages",
            "where they are for the player; of the server's own spectator what is printed, where that of players is left out",
            loses Others;
        "multicast" => "its messages";
        "sound" => "sound";
        "print" => "print";
        "nop" => "", "it says nothing";
        "what extended limits have" => "", "it becomes a recording of protocol 3434 or 3436, and that one of 34, as above",
            loses Place, FarPlace, Angle, Model, Frame, Sound, Volume, Name, Alpha, Scale, Stat, Fog, Blend, Rate, Effect,
            Movement, Extension, Picture, Entity;
    ];
}
