#!/usr/bin/env bash
# The pages of `qdemo view` and of web/, in a real browser: their script is linted and type-checked, and pages of demos of each game are
# opened from disk, looked at, and worked by mouse and keys (scripts/view-test.mjs, scripts/web-test.mjs). It needs Node with npm, and Chromium;
# where these cannot be had, it says so and ends.
#   scripts/view-test.sh [QDEMO]
#   scripts/view-test.sh --set-up     only fetches what it needs
set -euo pipefail
cd "$(dirname "$0")/.."
tools=target/view-test
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$browser" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends chromium >/dev/null 2>&1 || true
    browser=$(command -v chromium || true)
fi
if [ -z "$browser" ] || ! command -v npm >/dev/null; then
    echo "not tried: Chromium or npm cannot be had here"
    exit 0
fi
mkdir -p "$tools"
cp scripts/view-test.json "$tools/package.json"
if ! (cd "$tools" && npm install --silent --no-audit --no-fund --prefer-offline >/dev/null); then
    echo "not tried: npm's packages cannot be had here"
    exit 0
fi
[ "${1:-}" != --set-up ] || exit 0
qdemo=$(realpath "${1:-target/release/qdemo}")
# Where their tools look for the modules.
rm -rf "$tools/modules"
mkdir "$tools/modules"
cp crates/qdemo/src/view/page/*.js "$tools/modules/"
cp web/page/*.js "$tools/modules/"
cp scripts/browser.mjs scripts/view-test.mjs scripts/web-test.mjs "$tools/"
cd "$tools"
npx tsc --allowJs --checkJs --noEmit --strict --noUnusedLocals --noUnusedParameters --target es2022 --module es2022 \
    --moduleResolution bundler --lib es2023,dom,dom.iterable --skipLibCheck modules/start.js modules/main.js modules/shell.js
cat >eslint.config.mjs <<'EOF'
// What is not defined, or of another type, tells the type checker.
const rules = ["eqeqeq", "no-dupe-keys", "no-eval", "no-fallthrough", "no-implied-eval", "no-lonely-if", "no-self-compare",
  "no-shadow", "no-unreachable", "no-unused-vars", "no-useless-return", "no-var", "prefer-const"];
export default [{ rules: Object.fromEntries(rules.map((rule) => [rule, "error"])) }];
EOF
npx eslint modules/*.js
# All modules become one script: a name at the top of one is the only one of that name.
twice=$(grep -hoE '^(export )?(async )?(const|let|class|function) \w+' ../../crates/qdemo/src/view/page/*.js | awk '{print $NF}' | sort | uniq -d)
[ -z "$twice" ] || { echo "names that two modules have: $twice"; exit 1; }
export QDEMO="$qdemo" TESTDATA=../../testdata BROWSER="$browser"
node view-test.mjs
# The page that reads recordings itself: `cargo xtask web` makes it.
if [ -f ../../web/dist/index.html ]; then
    WEB=../../web/dist/index.html node web-test.mjs
fi
