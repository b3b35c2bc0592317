# SPDX-License-Identifier: GPL-2.0-only
# Which tests belong to a group; which may be skipped where no skip is allowed.

tests_of() {
	case $1 in
	check) ls build/unit/test_* tests/check/*.sh ;;
	vm) ls tests/vm/*.sh | grep -v /lib.sh ;;
	long) ls tests/long/*.sh ;;
	*)
		echo "run.sh: unknown group '$1'" >&2
		exit 2
		;;
	esac 2>/dev/null
}

# Samples from elsewhere are not part of the project, so a checkout may lack them
skip_allowed() {
	case $1 in
	*samples*) return 0 ;;
	esac
	return 1
}
