#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The user's own kernel tree: a newcomer's run with KDIR, then a bisection over 16 commits that
# touch mm/, one of which brings the problem back.  git and make are used as README says.
# The tree, its index, its branches and its worktrees must stay as they are.
. tests/vm/lib.sh
need qemu-system-x86_64 git flock

cache=${XDG_CACHE_HOME:-$HOME/.cache}/blkproof
here=$PWD
# Always the same place: what is built from it is then built again only where it has changed
tree=$cache/tests/linux
mkdir -p "$cache/tests"
exec 8>"$cache/tests/lock"
flock 8
rm -rf "$tree"
trap 'status=$?; rm -rf "$tree"; (exit $status); clean_up' EXIT

# The source as its users have it, in git; the lock keeps a build's patches out of the copy
expect 0 bin/boot-and-trace --accel tcg --traces "$traces" --run source \
	--experiment piece-copy-small || exit 1
rm -rf "$traces/source"
source=$(ls -d "$cache"/sources/linux-source-*/tree | tail -n 1)
flock "$cache/lock" cp -a "$source" "$tree" || exit 1

in_tree() {
	git -C "$tree" -c user.name=T -c user.email=t@example.org -c gc.auto=0 \
		-c core.looseCompression=0 "$@"
}

in_tree init -q
in_tree add -f . && in_tree commit -qm 'the source' || exit 1

# all that a user would miss
state() {
	in_tree status --porcelain | head
	in_tree rev-parse HEAD
	in_tree branch -a
	in_tree worktree list
	in_tree stash list
	sha256sum <"$tree/.git/index"
}

echo "a newcomer's run: base is the tree, patched is the tree with our patch"
in_tree status >/dev/null
state >"$work/before"
expect 0 make -s boot-and-trace KDIR="$tree" EXPERIMENT=piece-copy-small ACCEL=tcg \
	TRACES="$traces" RUN=kdir
expect 0 bin/verify "$traces/kdir" && says "from KDIR $tree"
state >"$work/after"
cmp -s "$work/before" "$work/after" || complain "KDIR: the user's tree has changed"

echo "16 commits: the patch is in, and the eleventh takes its effect away"
in_tree apply "$here"/patches/0001-*.patch && in_tree commit -qam 'good' || exit 1
in_tree tag good

echo "the same by commits, whatever is checked out"
in_tree checkout -q good~1 && echo dirty >>"$tree/README"
state >"$work/before"
expect 0 make -s boot-and-trace KDIR="$tree" COMMITS=good~1..good ACCEL=tcg \
	EXPERIMENT=piece-copy-small TRACES="$traces" RUN=commits
expect 0 bin/verify "$traces/commits" && says "base-commit $(in_tree rev-parse good~1 | cut -c 1-12)"
state >"$work/after"
cmp -s "$work/before" "$work/after" || complain "COMMITS: the user's tree has changed"
in_tree checkout -qf good
in_tree checkout -qb topic
rm -rf "$traces"/*

bad_commit=
for i in $(seq 1 16); do
	if [ "$i" = 11 ]; then
		in_tree apply -R "$here"/patches/0001-*.patch || exit 1
	else
		echo "/* change $i */" >>"$tree/mm/readahead.c"
	fi
	in_tree commit -qam "mm: change $i" || exit 1
	[ "$i" = 11 ] && bad_commit=$(in_tree rev-parse HEAD)
done
echo '#error does not build' >>"$tree/mm/readahead.c"
in_tree commit -qam 'mm: broken'
in_tree tag broken

bisect() {
	(cd "$tree" && "$@" make -s -C "$here" bisect EXPERIMENT=piece-copy-small ACCEL=tcg \
		CHECK=no-sync-readaround-per-piece TRACES="$traces")
}

echo "a commit that does not build is skipped; what is wrong with the question stops git"
expect 125 bisect env && says "this commit is skipped" && says "mm/readahead.c"
(cd "$tree" && make -s -C "$here" bisect ACCEL=tcg CHECK=no-such-check) >"$work/out" 2>&1
[ $? = 128 ] || complain "a wrong CHECK is taken for a verdict"
says "no-such-check"

echo "git bisect run finds the commit"
in_tree bisect start broken~1 good >/dev/null || exit 1
expect 0 bisect git bisect run
says "$bad_commit is the first bad commit"
runs=$(ls -d "$traces"/run* | wc -l)
echo "$runs kernels were built and booted"
[ "$runs" -ge 4 ] && [ "$runs" -le 5 ] || complain "$runs builds instead of at most 5"
in_tree bisect reset >/dev/null 2>&1

exit $bad
