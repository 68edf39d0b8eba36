//! QuakeWorld: protocols to 28, recordings of clients and of servers, and Quake.

use super::{Loss, Mapping, mappings};

mappings! {
    /// Protocols 24 to 27 to 28.
    pub(super) const PROTOCOL: [
        "serverdata.serverversion" => "serverdata.serverversion", "28";
        "serverdata.movevars" => "serverdata.movevars", "those of the engine where the input tells none";
        "modellist.first, modellist.next, soundlist.first, soundlist.next" => "the same",
            "0 where the input tells all names at once";
        "playerinfo.command" => "playerinfo.command", "speeds in units, as the first protocols have eighths of them";
    ];

    /// What a client records, as a server does.
    pub(super) const TO_MULTIVIEW: [
        "sblock.time" => "mblock.msec", "ms since the record before", loses Time;
        "sblock.seq1, sblock.seq2, sblock.reliable, sblock.size, sblock.data" => "", loses Connection;
        "connless" => "", "but for the end of the recording", loses Connection;
        "cblock.viewangles" => "mvdplayerinfo.angles_1, mvdplayerinfo.angles_2, mvdplayerinfo.angles_3",
            "of the recorder, with the next frame; in 65536ths of a turn", loses View;
        "cblock.time, cblock.msec, cblock.angles, cblock.speed, cblock.buttons, cblock.impulse" => "", loses Movement;
        "fblock" => "";
        "playerinfo.player, playerinfo.frame, playerinfo.modelindex, playerinfo.skinnum, playerinfo.effects, \
         playerinfo.weaponframe, playerinfo.dead, playerinfo.gib" =>
            "mvdplayerinfo", "what is new of each; a spectator who records has no body", loses View;
        "playerinfo.origin" => "mvdplayerinfo.origin_x, mvdplayerinfo.origin_y, mvdplayerinfo.origin_z", "",
            loses Place, FarPlace;
        "playerinfo.command" => "mvdplayerinfo.angles_1, mvdplayerinfo.angles_2, mvdplayerinfo.angles_3",
            "the angles of the command", loses Movement;
        "playerinfo.msec, playerinfo.velocity_x, playerinfo.velocity_y, playerinfo.velocity_z, playerinfo.pm_type, \
         playerinfo.onground, playerinfo.solid, playerinfo.prediction" => "", loses Movement;
        "playerinfo.alpha" => "", loses Alpha;
        "packetentities, deltapacketentities" => "packetentities, deltapacketentities",
            "the difference to the list before; nothing where a list is missing";
        "nails, nails2" => "nails, nails2", "to all";
        "serverdata" => "serverdata", "without client, with servertime";
        "setangle" => "setangle", "about the recorder, to the recorder";
        "centerprint, damage, smallkick, bigkick, maxspeed, entgravity, stufftext" => "the same",
            "to the recorder; before a level shows something, and `fullserverinfo`, to all";
        "updatestat, updatestatlong" => "the same", "of the recorder";
        "print" => "print", "of level 0 to the recorder, else to all";
        "sound, stopsound, lightstyle, updatefrags, updateping, updatepl, updateentertime, updateuserinfo, setinfo, \
         serverinfo, temp_entity, muzzleflash, spawnstatic, spawnbaseline, spawnstaticsound, fte_spawnstatic2, \
         fte_spawnbaseline2, modellist, fte_modellist, soundlist, setpause, killedmonster, foundsecret, intermission, finale, \
         cdtrack, sellscreen, nop, bad, time, voicechat, qizmovoice" => "the same", "to all";
        "choke, download" => "", loses Connection;
        "disconnect" => "disconnect", "where the recording ends";
    ];

    /// What a server records, as a client does.
    pub(super) const FROM_MULTIVIEW: [
        "mblock.msec" => "sblock.time", "seconds since the beginning";
        "mblock.same, mblock.set, mblock.multiple, mblock.single, mblock.stats, mblock.all, mblock.slot, mblock.command, \
         mblock.size" => "",
            "what is not for the player is left out", loses Others;
        "mblock.data" => "", loses Unread;
        "mvdplayerinfo.angles_1, mvdplayerinfo.angles_2, mvdplayerinfo.angles_3" => "cblock.viewangles, cblock.angles",
            "of the player; of others in `playerinfo.command`";
        "mvdplayerinfo.player, mvdplayerinfo.frame, mvdplayerinfo.modelindex, mvdplayerinfo.skinnum, \
         mvdplayerinfo.effects, mvdplayerinfo.weaponframe, mvdplayerinfo.dead, mvdplayerinfo.gib" =>
            "playerinfo", "everyone in each frame";
        "mvdplayerinfo.origin_x, mvdplayerinfo.origin_y, mvdplayerinfo.origin_z" =>
            "playerinfo.origin, playerinfo.velocity_x, playerinfo.velocity_y, playerinfo.velocity_z",
            "the velocity is the way since the frame before; whether players stand is not told", loses Movement;
        "packetentities, deltapacketentities" => "packetentities, deltapacketentities", "with packet numbers of the output";
        "nails, nails2" => "nails", "without numbers of their own, as clients are told";
        "serverdata" => "serverdata", "with client, without servertime";
        "setangle" => "setangle", "where it is about the player", loses Others;
        "centerprint, damage, smallkick, bigkick, maxspeed, entgravity, stufftext, updatestat, updatestatlong, print, sound, \
         stopsound, lightstyle, updatefrags, updateping, updatepl, updateentertime, updateuserinfo, setinfo, serverinfo, \
         temp_entity, muzzleflash, spawnstatic, spawnbaseline, spawnstaticsound, fte_spawnstatic2, fte_spawnbaseline2, \
         modellist, fte_modellist, soundlist, setpause, killedmonster, foundsecret, intermission, finale, cdtrack, \
         sellscreen, nop, bad, time, voicechat, qizmovoice, choke, download" => "the same",
            "where they are for the player; `*z_ext` among the settings is without the bits 1, 2, 64 and 256, by which states of \
             players would tell how they move", loses Others;
        "hidden_command, hidden_demoinfo, hidden_damage, hidden_pause, hidden_start, hidden" => "", loses Hidden;
        "disconnect" => "connless.disconnect", "where the recording ends";
    ];

    /// What a client of Quake records, as one of QuakeWorld does. All protocols become 15 first.
    pub(super) const FROM_QUAKE: [
        "cdtrack" => "cdtrack.track", "where the game plays it; the line in front of a recording is not told";
        "block.camera" => "cblock.viewangles, cblock.angles";
        "time" => "sblock.time, cblock.time", "seconds that go on over all levels";
        "serverinfo.serverversion, serverinfo.mapname" => "serverdata.serverversion, serverdata.mapname", "28";
        "serverinfo.maxclients, serverinfo.multi" => "stufftext.text",
            "`fullserverinfo` with maxclients, deathmatch and map";
        "serverinfo.models, serverinfo.sounds" => "modellist, soundlist";
        "clientdata.items, clientdata.health, clientdata.armorvalue, clientdata.currentammo, clientdata.ammo_shells, \
         clientdata.ammo_nails, clientdata.ammo_rockets, clientdata.ammo_cells, clientdata.weapon, clientdata.weaponmodel" =>
            "updatestat, updatestatlong", "what is new";
        "clientdata.weaponframe" => "playerinfo.weaponframe";
        "clientdata.vel_x, clientdata.vel_y, clientdata.vel_z" =>
            "playerinfo.velocity_x, playerinfo.velocity_y, playerinfo.velocity_z";
        "clientdata.view_ofs_z, clientdata.punchangle_x, clientdata.onground, clientdata.inwater" => "",
            "clients of QuakeWorld know where eyes are, and work out the rest", loses View;
        "updateentity of a player" => "playerinfo", "the view is three times the pitch of the model";
        "updateentity" => "packetentities, deltapacketentities", "numbers above 511 get free ones below", loses Entity;
        "updateentity.effects" => "packetentity.effects, muzzleflash", "muzzle flash, lights, glitter", loses Effect;
        "spawnbaseline, spawnstatic, spawnstaticsound, setangle, lightstyle, centerprint, stufftext, updatefrags, stopsound, \
         damage, setpause, killedmonster, foundsecret, finale, sellscreen" => "the same";
        "cutscene" => "centerprint";
        "print" => "print", "a byte 1 in front is level 3, a byte 2 gold letters";
        "sound" => "sound", "of entities up to 1023", loses Sound;
        "particle" => "temp_entity", "blood, sparks of lightning, bullets and explosions", loses Effect;
        "temp_entity" => "temp_entity", "types 0 to 12", loses Effect;
        "updatename, updatecolors" => "updateuserinfo", "name, topcolor, bottomcolor";
        "updatestat" => "updatestat, updatestatlong", "secrets and monsters";
        "intermission" => "intermission", "with the place and the angles of the view";
        "setview" => "", "a view that is not the recorder's own", loses View;
        "nop, bad, disconnect, version, signonnum, spawnbinary" => "", "they say nothing of the game";
        "spawnbaseline2, spawnstatic2, spawnstaticsound2, skybox, skyboxsize, fog, nehahra_fog, showlmp, hidelmp, achievement, \
         localsound, bf" => "the same, as protocol 15 has it", "and whatever else that has not; see above", loses Place, FarPlace,
            Angle, Model, Frame, Sound, Name, Alpha, Scale, Lerp, Stat, Sky, Fog, Picture, Effect, Fullbright, Rerelease,
            Extension;
    ];

    /// What a client of QuakeWorld records, as one of Quake does.
    pub(super) const TO_QUAKE: [
        "sblock.time" => "time.time", "frames of one time are told the least time apart";
        "sblock.seq1, sblock.seq2, sblock.reliable, sblock.size, sblock.data" => "", loses Connection;
        "connless" => "", "but for the end of the recording", loses Connection;
        "cblock.viewangles" => "block.camera", "those of the last command in front of a frame", loses View;
        "cblock.time, cblock.msec, cblock.angles, cblock.speed, cblock.buttons, cblock.impulse" => "", loses Movement;
        "fblock" => "";
        "serverdata.serverversion, serverdata.mapname" => "serverinfo.serverversion, serverinfo.mapname", "15";
        "serverdata.game, serverdata.age, serverdata.servertime, serverdata.client, serverdata.movevars, \
         serverdata.extensions" => "setview.entity", "the recorder's own entity, from client; the rest has no place";
        "modellist, fte_modellist, soundlist" => "serverinfo.models, serverinfo.sounds", "the first 255 of each", loses Name;
        "spawnbaseline, fte_spawnbaseline2" => "spawnbaseline", "", loses Model, Alpha, Place, FarPlace;
        "spawnstatic, fte_spawnstatic2" => "spawnstatic", "", loses Model, Alpha, Place, FarPlace;
        "spawnstaticsound" => "spawnstaticsound", "up to number 255", loses Sound;
        "playerinfo.player, playerinfo.frame, playerinfo.modelindex, playerinfo.skinnum, playerinfo.effects" =>
            "updateentity", "16 slots; a third of the view's pitch is the model's", loses Entity, Model;
        "playerinfo.origin" => "updateentity.origin_x, updateentity.origin_y, updateentity.origin_z", "",
            loses Place, FarPlace;
        "playerinfo.weaponframe" => "clientdata.weaponframe", "of the recorder";
        "playerinfo.velocity_x, playerinfo.velocity_y, playerinfo.velocity_z" =>
            "clientdata.vel_x, clientdata.vel_y, clientdata.vel_z", "of the recorder, in steps of 16", loses Movement;
        "playerinfo.command, playerinfo.msec, playerinfo.pm_type, playerinfo.solid, playerinfo.prediction" =>
            "updateentity.angles_1, updateentity.angles_2", "the angles of the command, in 256ths of a turn",
            loses Movement;
        "playerinfo.dead, playerinfo.gib, playerinfo.onground" => "clientdata.view_ofs_z, clientdata.onground",
            "of the recorder; where `*z_ext` does not announce `onground`, whoever goes neither up nor down stands";
        "playerinfo.alpha" => "", loses Alpha;
        "packetentities, deltapacketentities" => "updateentity", "all that is in view, in each frame",
            loses Model, Alpha, Place, FarPlace;
        "nails, nails2" => "updateentity", "entities behind all others, with the model of a nail";
        "updatestat, updatestatlong" => "clientdata, updatestat", "up to 255", loses Stat;
        "updateuserinfo, setinfo" => "updatename, updatecolors", "name, topcolor, bottomcolor", loses Board;
        "updatefrags" => "updatefrags";
        "updateping, updatepl, updateentertime, serverinfo" => "", loses Board;
        "maxspeed, entgravity" => "", loses Movement;
        "choke, download" => "", loses Connection;
        "smallkick, bigkick" => "clientdata.punchangle_x", "2 and 4 degrees";
        "muzzleflash" => "updateentity.effects";
        "cdtrack" => "cdtrack.fromtrack, cdtrack.totrack";
        "stopsound" => "stopsound";
        "sound" => "sound", "up to number 255", loses Sound, Place, FarPlace;
        "damage" => "damage", "", loses Place, FarPlace;
        "setangle" => "setangle", "in 256ths of a turn";
        "print" => "print", "level 3 is a byte 1 in front";
        "temp_entity" => "temp_entity, particle", "blood, sparks of lightning and groups of bullets are particles",
            loses Place, FarPlace;
        "intermission" => "intermission, updateentity", "the recorder stands where the camera is";
        "stufftext" => "stufftext", "but `changing` and `reconnect`, which come between levels";
        "centerprint, lightstyle, setpause, killedmonster, foundsecret, sellscreen, finale" => "the same";
        "voicechat, qizmovoice" => "", loses Message;
        "disconnect" => "disconnect", "where the recording ends";
        "nop, bad, time" => "", "they say nothing of the game";
    ];
}
