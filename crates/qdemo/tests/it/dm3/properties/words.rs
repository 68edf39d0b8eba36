//! Texts, compared word by word.

/// The words, strings and signs of a text; comments and white space left out.
pub(crate) fn tokens(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let mut token = String::from(c);
        match c {
            c if c.is_ascii_whitespace() => continue,
            '/' if rest.peek() == Some(&'/') => {
                while rest.next().is_some_and(|c| c != '\n') {}
                continue;
            }
            ';' | '{' | '}' => {}
            '"' => {
                while let Some(c) = rest.next() {
                    token.push(c);
                    match c {
                        '"' => break,
                        '\\' => token.extend(rest.next()),
                        _ => {}
                    }
                }
            }
            _ => {
                while let Some(c) = rest.next_if(|c| !c.is_ascii_whitespace() && !matches!(c, ';' | '{' | '}' | '"')) {
                    token.push(c);
                }
            }
        }
        all.push(token);
    }
    all
}

/// True for the same word, or the same number in another spelling.
pub(crate) fn same(a: &str, b: &str) -> bool {
    let int = |s: &str| match s.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16).ok(),
        None => s.parse::<i128>().ok().filter(|_| s != "-0"),
    };
    let float = |s: &str| match s.strip_prefix("f32(0x").and_then(|s| s.strip_suffix(')')) {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => s.parse::<f32>().ok().filter(|_| !s.starts_with(char::is_alphabetic)).map(f32::to_bits),
    };
    match (int(a), int(b)) {
        _ if a == b => true,
        (Some(a), Some(b)) => a == b,
        _ => float(a).is_some() && float(a) == float(b),
    }
}
