//! Any bytes as a Quake III demo, under both kinds of names.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    qdemo_fuzz::comes_back(data, "x.dm_68");
    qdemo_fuzz::comes_back(data, "x.dm3");
});
