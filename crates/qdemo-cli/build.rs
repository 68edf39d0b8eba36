//! How the command is linked.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |what: &str, wanted: &str| std::env::var(what).is_ok_and(|it| it.split(',').any(|it| it == wanted));
    // At a fixed address the 47,000 pointers in the command's tables are right as they stand in the file. Elsewhere each is
    // put right whenever the command starts, which takes a millisecond of two and a half. What is given up is a hurdle for
    // who makes a program write outside its memory, which Rust's checks keep; stack, heap and libraries lie anywhere still.
    if is("CARGO_CFG_TARGET_OS", "linux")
        && is("CARGO_CFG_TARGET_ENV", "gnu")
        && !is("CARGO_CFG_TARGET_FEATURE", "crt-static")
    {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
