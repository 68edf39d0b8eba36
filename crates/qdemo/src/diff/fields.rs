//! What differs between two JSON values, by paths as people write them.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::Which;

/// A field that differs.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Field {
    /// Its name, with the names of what it is in: `players[3].origin`. In brackets stands the slot, the number of the entity, or
    /// the place in a list. Empty: the whole.
    #[serde(rename = "field")]
    pub path: String,
    /// Its value in the first recording; `None` where it is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<Value>,
    /// Its value in the second one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<Value>,
}

impl Field {
    /// True where one recording says nothing of it.
    pub(super) fn is_missing(&self, which: Which) -> bool {
        if which == Which::A { self.a.is_none() } else { self.b.is_none() }
    }
}

/// Keys by which the items of a list are told apart.
const KEYS: &[&str] = &["slot", "entity", "number", "index"];

/// The fields in which two values differ, those for which `counts` is true of the path. At most `most` are given.
pub(super) fn differences(a: &Value, b: &Value, most: usize, counts: &dyn Fn(&str) -> bool) -> Vec<Field> {
    let mut finder = Finder { fields: Vec::new(), most, counts };
    finder.values(&mut String::new(), Some(a), Some(b));
    finder.fields
}

struct Finder<'c> {
    fields: Vec<Field>,
    most: usize,
    counts: &'c dyn Fn(&str) -> bool,
}

impl Finder<'_> {
    fn values(&mut self, path: &mut String, a: Option<&Value>, b: Option<&Value>) {
        if a == b || self.fields.len() >= self.most || !(self.counts)(path) {
            return;
        }
        match (a, b) {
            (Some(Value::Object(a)), Some(Value::Object(b))) => self.objects(path, a, b),
            (Some(Value::Array(a)), Some(Value::Array(b))) if is_list(a) || is_list(b) => self.lists(path, a, b),
            (Some(Value::Array(a)), Some(Value::Array(b))) if a.len() == b.len() && a.len() > 4 => {
                let all = a.iter().zip(b).enumerate();
                all.for_each(|(n, (a, b))| self.inside(path, &format!("[{n}]"), Some(a), Some(b)));
            }
            (a, b) => self.fields.push(Field { path: path.clone(), a: a.cloned(), b: b.cloned() }),
        }
    }

    fn inside(&mut self, path: &mut String, name: &str, a: Option<&Value>, b: Option<&Value>) {
        let len = path.len();
        if len > 0 && !name.starts_with('[') {
            path.push('.');
        }
        path.push_str(name);
        self.values(path, a, b);
        path.truncate(len);
    }

    fn objects(&mut self, path: &mut String, a: &Map<String, Value>, b: &Map<String, Value>) {
        for (key, value) in a {
            self.inside(path, key, Some(value), b.get(key));
        }
        for (key, value) in b.iter().filter(|(key, _)| !a.contains_key(*key)) {
            self.inside(path, key, None, Some(value));
        }
    }

    fn lists(&mut self, path: &mut String, a: &[Value], b: &[Value]) {
        let Some(key) = KEYS.iter().find(|key| has_all(a, key) && has_all(b, key)) else {
            for n in 0..a.len().max(b.len()) {
                self.inside(path, &format!("[{n}]"), a.get(n), b.get(n));
            }
            return;
        };
        let find = |all: &[Value], id: &Value, hint: usize| -> Option<usize> {
            let is = |n: &usize| all.get(*n).and_then(|item| item.get(key)) == Some(id);
            Some(hint).filter(is).or_else(|| (0..all.len()).find(is))
        };
        let mut hint = 0;
        for item in a {
            let Some(id) = item.get(key) else { continue };
            let other = find(b, id, hint);
            hint = other.map_or(hint, |n| n + 1);
            self.inside(path, &format!("[{id}]"), Some(item), other.and_then(|n| b.get(n)));
        }
        let mut hint = 0;
        for item in b {
            let Some(id) = item.get(key) else { continue };
            match find(a, id, hint) {
                Some(n) => hint = n + 1,
                None => self.inside(path, &format!("[{id}]"), None, Some(item)),
            }
        }
    }
}

fn is_list(all: &[Value]) -> bool {
    all.first().is_some_and(Value::is_object)
}

fn has_all(all: &[Value], key: &str) -> bool {
    all.iter().all(|item| item.get(key).is_some_and(|id| id.is_u64() || id.is_i64()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fields_have_paths() {
        let a = json!({"players": [{"slot": 1, "origin": [1, 2, 3]}, {"slot": 3, "origin": [1, 2, 3]}], "x": 1});
        let b = json!({"players": [{"slot": 3, "origin": [1, 2, 4]}], "y": 2, "x": 1});
        let all = differences(&a, &b, 10, &|_| true);
        let paths: Vec<_> = all.iter().map(|field| field.path.as_str()).collect();
        assert_eq!(paths, ["players[1]", "players[3].origin", "y"]);
        assert_eq!((&all[1].a, &all[1].b), (&Some(json!([1, 2, 3])), &Some(json!([1, 2, 4]))));
        assert_eq!((&all[0].b, &all[2].a), (&None, &None));
        assert_eq!(differences(&a, &b, 1, &|_| true).len(), 1);
        assert_eq!(differences(&a, &b, 9, &|path| path != "players").len(), 1);
        assert_eq!(differences(&a, &a, 9, &|_| true), []);
        // Long lists of numbers differ by place.
        let (a, b) = (json!({"stats": [1, 2, 3, 4, 5]}), json!({"stats": [1, 2, 3, 9, 5]}));
        assert_eq!(differences(&a, &b, 9, &|_| true)[0].path, "stats[3]");
    }
}
