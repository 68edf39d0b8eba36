//! Pictures as PNG.

use anyhow::{Result, anyhow};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

/// A picture of SVG as PNG. Its text is in a font that the program brings along: no machine needs to have one, and a picture
/// is the same on all of them.
///
/// # Errors
/// A picture that is none, or too large for memory.
pub(crate) fn of_svg(svg: &str) -> Result<Vec<u8>> {
    let mut options = Options { font_family: FAMILY.to_owned(), ..Options::default() };
    let fonts = options.fontdb_mut();
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    fonts.load_font_data(dejavu::sans::bold().to_vec());
    fonts.set_sans_serif_family(FAMILY);
    let tree = Tree::from_str(svg, &options).map_err(|e| anyhow!("the picture cannot be drawn: {e}"))?;
    let size = tree.size().to_int_size();
    let mut pixels = Pixmap::new(size.width(), size.height())
        .ok_or_else(|| anyhow!("there is no memory for a picture of this size; give a smaller --size"))?;
    resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
    pixels.encode_png().map_err(|e| anyhow!("the picture cannot be written: {e}"))
}

const FAMILY: &str = "DejaVu Sans";

#[cfg(test)]
mod tests {
    use super::*;

    /// How many pixels are dark, of a picture with a text.
    fn dark(text: &str) -> usize {
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"300\" height=\"40\"><rect width=\"300\" height=\"40\" \
             fill=\"#fff\"/><text x=\"4\" y=\"28\" font-size=\"20\" font-family=\"Nonesuch, sans-serif\">{text}</text></svg>"
        );
        let picture = Pixmap::decode_png(&of_svg(&svg).unwrap()).unwrap();
        picture.pixels().iter().filter(|pixel| pixel.red() < 100).count()
    }

    /// Whatever fonts the machine has: none of these are looked for.
    #[test]
    fn text_is_drawn_on_any_machine() {
        assert_eq!(dark(""), 0);
        assert!(dark("Sarge") > 100, "{}", dark("Sarge"));
        assert!(dark("Сержант") > 100, "other letters too: {}", dark("Сержант"));
    }
}
