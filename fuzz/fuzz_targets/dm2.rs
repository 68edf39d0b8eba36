//! Any bytes as a `.dm2`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| qdemo_fuzz::comes_back(data, "x.dm2"));
