#!/usr/bin/env bash
# The pages of `qdemo view` and of web/, in a real browser: their script is linted and type-checked, and pages of demos of each game are
# opened from disk, looked at, and worked by mouse and keys (scripts/view-test.mjs, scripts/web-test.mjs). It needs Node with npm, and the
# browser: Chromium, Firefox, or WebKitGTK's MiniBrowser with its driver, which is the nearest to Safari without a Mac. The latter two
# need an X server for WebGL, xvfb-run. Where these cannot be had, it says so and ends.
#   scripts/view-test.sh [--browser chromium|firefox|webkit] [QDEMO]
#   scripts/view-test.sh --set-up     only fetches what it needs
set -euo pipefail
cd "$(dirname "$0")/.."
tools=target/view-test
name=chromium
if [ "${1:-}" = --browser ]; then
    name=$2
    shift 2
fi
screen=(xvfb-run -a -s "-screen 0 1600x6000x24")
case $name in
    chromium) packages=(chromium) names=(chromium chromium-browser google-chrome) screen=() ;;
    firefox) packages=(firefox-esr xvfb xauth) names=(firefox firefox-esr) ;;
    webkit) packages=(webkit2gtk-driver xvfb xauth) names=(/usr/lib/*/webkit2gtk-4.1/MiniBrowser) ;;
    *) echo "no browser of the tests: $name"; exit 2 ;;
esac
found() { command -v "${names[@]}" | head -1 || true; }
browser=$(found)
if [ -z "$browser" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends "${packages[@]}" >/dev/null 2>&1 || true
    browser=$(found)
fi
if [ -z "$browser" ] || ! command -v npm >/dev/null || ! command -v "${screen[0]:-npm}" >/dev/null; then
    echo "not tried: $name, npm or xvfb-run cannot be had here"
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
cp scripts/browser.mjs scripts/webkit.mjs scripts/view-test.mjs scripts/web-test.mjs "$tools/"
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
# Drawing in software takes one processor of each browser. Others than Chromium have one folder of downloads, or one driver.
halves=(1/1)
[ "$name" != chromium ] || halves=(1/2 2/2)
running=()
for half in "${halves[@]}"; do
    PAGES="pages-${half%/*}" "${screen[@]}" node view-test.mjs "$half" &
    running+=($!)
done
status=0
for one in "${running[@]}"; do wait "$one" || status=$?; done
[ "$status" -eq 0 ]
# The page that reads recordings itself: `cargo xtask web` makes it.
if [ -f ../../web/dist/index.html ]; then
    WEB=../../web/dist/index.html "${screen[@]}" node web-test.mjs
fi
