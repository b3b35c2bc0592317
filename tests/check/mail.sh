#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# verify --mail below the "---" of a real patch: git am and patch(1) take the patch, and nothing of
# the report, whatever the run's names are; without the option they would trip over them.
. tests/lib.sh
need git patch

export HOME="$work" GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org
export GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.org

# a run whose summary has, wherever it is wrapped, words that begin diffs
cp -r traces/example "$work/run"
words='--- a/file +++ b/file @@ -1,2 +1,2 @@ diff --git a/file b/file Index: file'
long=
for i in 1 2 3 4; do long="$long $words"; done
sed -i "s|^summary = .*|summary =$(echo "$long" | cut -c1-150)|" "$work/run/experiment.ini"
sed -i "s/\"experiment_bytes\": [0-9]*/\"experiment_bytes\": $(wc -c <"$work/run/experiment.ini")/" \
	"$work/run/run.json"
# and a command whose words fill lines, so that the next begins with what it should not
fill=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
command="make $fill --- a/file $fill +++ b/file $fill diff --git a/file b/file $fill @@ -1,2 +1,2 @@ $fill From x"
sed -i "s|\"command\": \".*\"|\"command\": \"$command\"|" "$work/run/run.json"

git init -q "$work/one"
printf 'one\ntwo\nthree\n' >"$work/one/file"
(cd "$work/one" && git add file && git commit -q -m base)
git clone -q "$work/one" "$work/two"
cp -r "$work/one" "$work/three"
printf 'one\nTWO\nthree\n' >"$work/one/file"
(cd "$work/one" && git commit -q -a -m 'file: louder' -m 'So that all can hear it.' &&
	git format-patch -q -1 --stdout >"$work/plain.patch")

# with REPORT between the "---" and the diffstat
with() {
	awk -v report="$1" '{ print } /^---$/ && !done { while ((getline line < report) > 0) print line; print ""; done = 1 }' \
		"$work/plain.patch"
}

for options in --mail '--mail --compare traces/example'; do
	expect 0 bin/verify $options "$work/run"
	cp "$work/out" "$work/report"
	long=$(awk 'length($0) > 72' "$work/report" | head -n 1)
	[ -z "$long" ] || complain "wider than 72 columns: $long"
	grep -q "$(printf '\t')" "$work/report" && complain "a tab"
	grep -nE '^ *(---|\+\+\+|@@|diff |Index:|From )' "$work/report" && complain "a line that may begin a diff"
	[ "$options" != --mail ] || [ "$(grep -c '^| ' "$work/report")" -ge 5 ] || complain "nothing was guarded"
	with "$work/report" >"$work/mail"
	[ "$(wc -l <"$work/mail")" -gt 80 ] || complain "the report is not in the mail"
	(cd "$work/two" && git reset -q --hard origin/HEAD && git am -q "$work/mail") ||
		complain "git am refuses it"
	[ "$(git -C "$work/two" rev-parse HEAD^{tree})" = "$(git -C "$work/one" rev-parse HEAD^{tree})" ] ||
		complain "git am made another tree"
	git -C "$work/two" log -1 --format=%B | grep -q blkproof && complain "the report is in the changelog"
	[ "$(git -C "$work/two" log -1 --format=%B | grep -c .)" = 2 ] || complain "another changelog"
	(cd "$work/three" && git checkout -q -- file && patch -s -p1 <"$work/mail") || complain "patch refuses it"
	cmp "$work/one/file" "$work/three/file" || complain "patch made another file"
done

# the words do what they are here for: unguarded, they are taken for a diff
expect 0 bin/verify "$work/run"
cp "$work/out" "$work/report"
grep -qE '^ *(---|\+\+\+|@@|diff |Index:)' "$work/report" || complain "no line begins as a diff does"
with "$work/report" >"$work/mail"
(cd "$work/three" && git checkout -q -- file && patch -s -f -p1 <"$work/mail" >"$work/out" 2>&1) &&
	complain "patch takes the mail without --mail too: this test proves nothing"
expect 2 bin/verify --mail --format json "$work/run"
exit $bad
