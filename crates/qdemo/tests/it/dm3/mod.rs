//! Quake III: `.dm3` and all kinds of `.dm_NN`.

mod damage;
mod facts;
mod properties;
mod recordings;
