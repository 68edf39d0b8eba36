//! `cargo xtask web`: builds the page that reads recordings in a browser, web/dist/index.html.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, ensure};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use flate2::{Compression, write::GzEncoder};
use qdemo::view::PageSources;
use sha2::{Digest, Sha256};
use wasm_bindgen_cli_support::Bindgen;

const TARGET: &str = "wasm32-unknown-unknown";
/// The page is no larger than this when it is sent packed.
const MOST: usize = 2_000_000;

fn main() -> Result<()> {
    let asked: Vec<String> = env::args().skip(1).collect();
    ensure!(asked == ["web"], "usage: cargo xtask web");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask lies in the checkout")?;
    let web = root.join("web");
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let done = Command::new(cargo).arg("wasm").current_dir(root).status()?;
    ensure!(done.success(), "the library was not compiled; `rustup target add {TARGET}` may be what is missing");
    let module = root.join("target/web").join(TARGET).join("web/qdemo_web.wasm");
    let mut made = Bindgen::new()
        .input_path(module)
        .no_modules(true)?
        .typescript(false)
        .remove_name_section(true)
        .generate_output()?;
    let (glue, wasm) = (made.js().to_owned(), made.wasm_mut().emit_wasm());

    let read = |name: &str| fs::read_to_string(web.join("page").join(name)).with_context(|| format!("web/page/{name}"));
    let (style, script) = (read("shell.css")?, read("shell.js")?);
    let worker = format!("{glue}\n{}", read("worker.js")?);
    // Pages in frames have the policy of this page, beside their own.
    let framed = [qdemo::view::page_sources(), qdemo::report::page_sources()];
    let sources = |own: &str, of: fn(&PageSources) -> &[String]| {
        let all = framed.iter().flat_map(of).map(|hash| format!(" '{hash}'"));
        format!("'sha256-{}'{}", STANDARD.encode(Sha256::digest(own)), all.collect::<String>())
    };
    let policy = format!(
        "default-src 'none'; script-src {} 'wasm-unsafe-eval'; worker-src blob:; style-src {}; img-src data:; \
         base-uri 'none'; form-action 'none'",
        sources(&script, |it| &it.scripts),
        sources(&style, |it| &it.styles)
    );
    let parts = [
        ("{policy}", policy),
        ("{style}", style),
        ("{script}", script),
        // Text that a browser does not read as markup.
        ("{worker}", STANDARD.encode(packed(worker.as_bytes())?)),
        ("{wasm}", STANDARD.encode(packed(&wasm)?)),
    ];
    let page = parts.iter().fold(read("shell.html")?, |page, (name, text)| page.replacen(name, text, 1));
    let dist = web.join("dist");
    fs::create_dir_all(&dist)?;
    let file = dist.join("index.html");
    fs::write(&file, &page)?;
    let sent = packed(page.as_bytes())?.len();
    writeln!(std::io::stdout(), "{}: {} bytes, {sent} packed", file.display(), page.len())?;
    ensure!(sent <= MOST, "that is more than {MOST}");
    Ok(())
}

fn packed(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut writer = GzEncoder::new(Vec::new(), Compression::best());
    writer.write_all(bytes)?;
    Ok(writer.finish()?)
}
