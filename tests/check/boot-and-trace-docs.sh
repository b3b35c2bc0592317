#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# boot-and-trace's --help and its man page: the same options, the same exit status, in both
# directions; and every variable that make help lists reaches the program.
set -u
bad=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

bin/boot-and-trace --help >"$work/help" || exit 1
sed -n 's/^  --\([a-z-]*\).*/\1/p' "$work/help" | sort >"$work/help-options"
sed -n 's/^\.It Fl Fl \([a-z-]*\).*/\1/p' docs/boot-and-trace.1 | sort >"$work/man-options"
diff "$work/help-options" "$work/man-options" || bad=1
[ "$(wc -l <"$work/help-options")" -gt 10 ] || bad=1

# status: number and text, without case and full stop
sed -n 's/^ *\([0-9][0-9]*\)  \(.*\)/\1 \2/p' "$work/help" | tr 'A-Z' 'a-z' >"$work/help-status"
sed -n '/^\.Sh EXIT/,/^\.El/p' docs/boot-and-trace.1 |
	awk '/^\.It/ { n = $2; getline; sub(/\.$/, ""); print n, tolower($0) }' >"$work/man-status"
diff "$work/help-status" "$work/man-status" || bad=1
[ "$(wc -l <"$work/help-status")" -gt 10 ] || bad=1

make help >"$work/make-help"
for variable in $(sed -n 's/^  \([A-Z_]*\)=.*/\1/p' "$work/make-help"); do
	grep -q "(\$($variable)\|filter 1,\$($variable)\|if \$($variable)" Makefile || {
		echo "make help lists $variable, which the Makefile does not use"
		bad=1
	}
	grep -q "$variable" docs/boot-and-trace.1 || [ "$variable" = V ] || {
		echo "docs/boot-and-trace.1 does not mention $variable"
		bad=1
	}
done
# each option that a variable stands for exists
for option in $(sed -n '/^RUN_OPTIONS/,/^$/p' Makefile | grep -o -- '--[a-z-]*' | sed 's/--//'); do
	grep -qx -- "$option" "$work/help-options" || {
		echo "the Makefile passes --$option, which does not exist"
		bad=1
	}
done
exit $bad
