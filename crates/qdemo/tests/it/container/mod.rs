//! Containers: what is found in them, and what is made of damaged ones.
//!
//! All archives are built here, field by field, so that every one of them can be made to lie.

mod anything;
mod build;
mod damage;
mod dz;
mod files;
mod kinds;
mod packed;
mod qwz;
