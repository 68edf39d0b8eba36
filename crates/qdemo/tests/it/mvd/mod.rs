//! Multi-view demos of QuakeWorld.

mod facts;
