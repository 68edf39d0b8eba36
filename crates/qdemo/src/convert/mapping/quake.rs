//! Quake: protocols to 15, 666 and 999.

use super::{Loss, Mapping, mappings};

mappings! {
    /// What all conversions of Quake's protocols into each other do.
    pub(super) const PROTOCOL: [
        "serverinfo.serverversion" => "serverinfo.serverversion", "the protocol of the output";
        "serverinfo.extensions, serverinfo.gamedir" => "", loses Extension;
        "sound.origin, particle.origin, damage.origin, temp_entity.origin, temp_entity.trace_endpos, \
         spawnstaticsound.origin, spawnbaseline.default_origin, spawnstatic.default_origin, updateentity.origin_x, \
         updateentity.origin_y, updateentity.origin_z" => "the same", "the nearest place", loses Place, FarPlace;
        "setangle.angles, spawnbaseline.default_angles, spawnstatic.default_angles, updateentity.angles_1, \
         updateentity.angles_2, updateentity.angles_3" => "the same", "the nearest angle", loses Angle;
        "clientdata.items" => "clientdata.items", "in each frame, also where the input leaves them out as unchanged";
        "nehahra_fog" => "", loses Fog;
        "skyboxsize" => "", loses Sky;
        "showlmp, hidelmp" => "", loses Picture;
        "temp_entity.entitytype" => "temp_entity.entitytype", "where the target has that effect", loses Effect;
    ];

    /// What 15 has no room for.
    pub(super) const NARROW: [
        "serverinfo.protocolflags" => "";
        "serverinfo.models, serverinfo.sounds" => "the same", "the first 255 of each", loses Name;
        "spawnbaseline2.default_modelindex" => "spawnbaseline.default_modelindex", "up to 255, else 0", loses Model;
        "spawnstatic2.default_modelindex" => "spawnstatic.default_modelindex", "up to 255", loses Model;
        "spawnbaseline2.default_frame" => "spawnbaseline.default_frame", "up to 255, else 0", loses Frame;
        "spawnstatic2.default_frame" => "spawnstatic.default_frame", "up to 255, else 0", loses Frame;
        "spawnbaseline2.default_alpha, spawnstatic2.default_alpha, updateentity.alpha" => "",
            "what cannot be seen at all has model 0", loses Alpha;
        "spawnbaseline2.default_scale, spawnstatic2.default_scale, updateentity.scale" => "", loses Scale;
        "spawnstaticsound2.soundnum" => "spawnstaticsound.soundnum", "up to 255", loses Sound;
        "sound.soundnum, sound.entity, sound.channel" => "the same", "up to 255, 8191 and 7", loses Sound;
        "updateentity.modelindex, updateentity.modelindex2" => "updateentity.modelindex", "up to 255, else 0", loses Model;
        "updateentity.frame, updateentity.frame2" => "updateentity.frame", "up to 255, else 0", loses Frame;
        "updateentity.lerpfinish" => "", loses Lerp;
        "updateentity.trans" => "", "Nehahra's opacity and glow", loses Alpha, Fullbright;
        "clientdata.armorvalue2" => "clientdata.armorvalue", "up to 255", loses Stat;
        "clientdata.currentammo2" => "clientdata.currentammo", "up to 255", loses Stat;
        "clientdata.ammo_shells2, clientdata.ammo_nails2, clientdata.ammo_rockets2, clientdata.ammo_cells2" =>
            "clientdata.ammo_shells, clientdata.ammo_nails, clientdata.ammo_rockets, clientdata.ammo_cells", "up to 255",
            loses Stat;
        "clientdata.weaponmodel2" => "clientdata.weaponmodel", "up to 255, else none", loses Model;
        "clientdata.weaponframe2" => "clientdata.weaponframe", "up to 255, else 0", loses Frame;
        "clientdata.weaponalpha" => "", "what cannot be seen at all is no model", loses Alpha;
        "bf" => "stufftext.text", "the command bf, which does the same";
        "skybox" => "", loses Sky;
        "fog" => "", loses Fog;
        "achievement, localsound" => "", loses Rerelease;
    ];

    /// How 666 and 999 say what others say in another way.
    pub(super) const WIDE: [
        "serverinfo.protocolflags" => "serverinfo.protocolflags", "999 alone has them: those of the input, or 0";
        "spawnbaseline, spawnbaseline2" => "spawnbaseline, spawnbaseline2", "the longer one where something needs it";
        "spawnstatic, spawnstatic2" => "spawnstatic, spawnstatic2", "the longer one where something needs it";
        "spawnstaticsound, spawnstaticsound2" => "spawnstaticsound, spawnstaticsound2",
            "the longer one where something needs it";
        "updateentity.modelindex" => "updateentity.modelindex, updateentity.modelindex2", "a byte in each";
        "updateentity.trans" => "updateentity.alpha", "in 255ths", loses Fullbright;
        "clientdata.weaponmodel" => "clientdata.weaponmodel, clientdata.weaponmodel2", "a byte in each";
    ];
}
