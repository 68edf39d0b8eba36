//! What holds for every format alike.

mod damage;
mod events;
mod findings;
mod seek;
