//! Any bytes as a `.dem`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| qdemo_fuzz::comes_back(data, "x.dem"));
