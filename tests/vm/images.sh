#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# KERNEL and BASE_KERNEL: images that somebody else has built.  One that carries its
# configuration and lacks an option is refused before anything starts.
. tests/vm/lib.sh
need qemu-system-x86_64

# images as a user would have them: those of an ordinary run, under other names
expect 0 bin/boot-and-trace --accel tcg --traces "$traces" --run built --verbose \
	--experiment piece-copy-small || exit 1
i=0
for image in $(sed -n 's/.* -kernel \([^ ]*\) .*/\1/p' "$work/out"); do
	i=$((i + 1))
	cp "$image" "$work/image-$i"
done
[ "$i" = 2 ] || complain "found $i images instead of 2"
rm -rf "$traces"/*

run() {
	make -s boot-and-trace EXPERIMENT=piece-copy-small ACCEL=tcg TRACES="$traces" "$@"
}

echo "both images given: nothing is built, and the verdict is the same"
expect 0 run RUN=images BASE_KERNEL="$work/image-1" KERNEL="$work/image-2"
grep -q 'building kernel' "$work/out" && complain "a kernel was built"
expect 0 bin/verify "$traces/images" && says "from image image-1, config"
rm -rf "$traces"/*

echo "an option is missing: it is named, with what needs it"
expect 2 run BASE_KERNEL="$work/image-1" KERNEL="$work/image-2" FS=xfs &&
	says "lacks CONFIG_XFS_FS=y, which the test file's file system needs"
nothing_left

echo "an image that does not say its configuration: the guest names the step that fails"
# the mark of the configuration is inside of the packed kernel: break the packing's header's
# length, which nobody but a reader of the configuration needs
cp "$work/image-1" "$work/silent"
printf '\0\0\0\0' | dd of="$work/silent" bs=1 seek=588 conv=notrunc 2>/dev/null
printf '[experiment]\nfile_size = 24M\nfilesystem = xfs\nmemory = 512M\n[kernel base]\n' \
	>"$work/xfs.ini"
printf '[phase a]\npattern = seq-read\npiece = 1M\n' >>"$work/xfs.ini"
expect 7 bin/boot-and-trace --accel tcg --traces "$traces" --experiment "$work/xfs.ini" \
	--image base="$work/silent"
says "this kernel has no file system xfs built in"
nothing_left

exit $bad
