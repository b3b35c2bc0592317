#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The page of bin/plot in a headless Chromium, driven by its WebDriver on loopback: it draws, asks
# nothing of the network, zooms, and leads to the places of findings.
. tests/lib.sh

need chromium chromedriver curl
pkg-config --exists pangocairo || {
	echo "needs pango and cairo (make deps-plot)"
	exit 77
}

driver=
stop() {
	status=$?
	[ -z "$driver" ] || kill "$driver"
	rm -rf "$work"
	exit $status
}
trap stop EXIT

# a run whose summary tries to leave the script that it stands in
cp -r traces/example "$work/run"
sed -i 's|^summary = .*|summary = </script><script>document.title = "left"</script><b>|' \
	"$work/run/experiment.ini"
sed -i "s/\"experiment_bytes\": [0-9]*/\"experiment_bytes\": $(wc -c <"$work/run/experiment.ini")/" \
	"$work/run/run.json"
expect 0 bin/plot "$work/run" -o "$work/page.html"

mkdir "$work/home"
HOME=$work/home chromedriver --port=0 >"$work/driver" 2>&1 &
driver=$!
port=
for i in $(seq 100); do
	port=$(sed -n 's/.*started successfully on port \([0-9]*\).*/\1/p' "$work/driver")
	[ -z "$port" ] || break
	sleep 0.1
done
[ -n "$port" ] || {
	cat "$work/driver"
	echo "chromedriver did not start"
	exit 1
}

# ask PATH JSON: the reply's value
ask() {
	curl -s -m 120 -H 'Content-Type: application/json' -d "$2" "http://127.0.0.1:$port$1" |
		sed 's/^{"value"://; s/}$//'
}
flags='"--headless","--no-sandbox","--disable-gpu","--disable-quic","--no-first-run","--disable-background-networking","--disable-component-update","--disable-sync","--window-size=1200,1000"'
session=$(ask /session "{\"capabilities\":{\"alwaysMatch\":{\"goog:chromeOptions\":{\"binary\":\"$(command -v chromium)\",\"args\":[$flags,\"--user-data-dir=$work/profile\"]}}}}" |
	sed -n 's/.*"sessionId":"\([^"]*\)".*/\1/p')
[ -n "$session" ] || {
	cat "$work/driver"
	echo "Chromium did not start"
	exit 1
}
s=/session/$session

# js SCRIPT: what it returns
js() {
	ask $s/execute/sync "{\"script\":\"$1\",\"args\":[]}"
}
# is WHAT SCRIPT VALUE
is() {
	found=$(js "$2")
	[ "$found" = "$3" ] || complain "$1: $found instead of $3"
}
# pixels of a colour in the first panel
pixels='const c = document.querySelector(`.panel canvas`); let n = 0; '
pixels=$pixels'const d = c.getContext(`2d`).getImageData(0, 0, c.width * 0.85, c.height).data; '
pixels=$pixels'for (let i = 0; i < d.length; i += 4) '
pixels=$pixels'n += d[i] === R && d[i + 1] === G && d[i + 2] === B; return n'
colour() {
	js "$(echo "$pixels" | sed "s/R /$1 /; s/G /$2 /; s/B)/$3)/; s/=== B;/=== $3;/")"
}
view='return document.querySelector(`.view`).textContent'

ask $s/url "{\"url\":\"file://$work/page.html\"}" >"$work/out"
is "the page is ready" 'return document.body.dataset.ready' '"yes"'
is "what it loaded" 'return performance.getEntriesByType(`resource`).length' 0
is "the title is not the summary's script" 'return document.title.startsWith(`piece-copy-small: </script>`)' true
is "panels" 'return document.querySelectorAll(`.panel canvas`).length' 8
is "histograms" 'return document.querySelectorAll(`.bars canvas`).length' 8
[ "$(colour 213 94 0)" -gt 50 ] || complain "no read-around is drawn on base"
[ "$(colour 0 0 0)" -gt 50 ] || complain "no fault is drawn on base"

all=$(js "$view")
ask $s/actions '{"actions":[{"type":"wheel","id":"w","actions":[{"type":"scroll","x":300,"y":330,"deltaX":0,"deltaY":-300,"duration":0,"origin":"viewport"}]}]}' >"$work/out"
[ "$(js "$view")" != "$all" ] || complain "the wheel does not zoom: $all"
wide='return document.querySelector(`.view`).textContent'
zoomed=$(js "$wide")
ask $s/actions '{"actions":[{"type":"pointer","id":"p","parameters":{"pointerType":"mouse"},"actions":[{"type":"pointerMove","x":300,"y":330,"duration":0,"origin":"viewport"},{"type":"pointerDown","button":0},{"type":"pointerMove","x":240,"y":300,"duration":50,"origin":"viewport"},{"type":"pointerUp","button":0}]}]}' >"$work/out"
[ "$(js "$view")" != "$zoomed" ] || complain "dragging does not move: $zoomed"
js 'document.querySelector(`.show-all`).click()' >"$work/out"
[ "$(js "$view")" = "$all" ] || complain "show all shows $(js "$view"), not $all"
js 'document.querySelector(`.zoom-in`).click()' >"$work/out"
[ "$(js "$view")" != "$all" ] || complain "the button does not zoom"
js 'document.querySelector(`.show-all`).click()' >"$work/out"

js 'document.querySelector(`#by-order`).click()' >"$work/out"
[ "$(colour 213 94 0)" = 0 ] && [ "$(colour 68 1 84)" -gt 50 ] || complain "no colours of orders"
js 'document.querySelector(`#by-order`).click()' >"$work/out"

[ "$(js 'return document.querySelectorAll(`ol li`).length')" -gt 5 ] || complain "findings are missing"
js 'document.querySelector(`ol li a`).click()' >"$work/out"
is "the finding is marked" 'return document.querySelector(`li.now`).dataset.finding' '"finding-1"'
is "its address" 'return location.hash' '"#finding-1"'
[ "$(js "$view")" != "$all" ] || complain "a finding's link does not zoom"
ask $s/url '{"url":"about:blank"}' >"$work/out"
ask $s/url "{\"url\":\"file://$work/page.html#finding-2\"}" >"$work/out"
is "a link from elsewhere" 'return document.querySelector(`li.now`).dataset.finding' '"finding-2"'
is "its panel is in sight" 'const r = document.querySelector(`.panel canvas`).getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight' true
curl -s -m 30 -X DELETE "http://127.0.0.1:$port$s" >"$work/out"
exit $bad
