#!/usr/bin/env bash
# What the action runs: annotations on standard output, the summary of the job, SARIF and the comparison if asked for.
# The worst of all exit statuses is the job's: 1 findings or weakened guarantees, 2 something could not be done.
set -uo pipefail

read -ra arguments <<<"${ARGUMENTS:-}"
read -ra check_arguments <<<"${CHECK_ARGUMENTS:-}"
check=(check "${arguments[@]}" "${check_arguments[@]}")
summary=${GITHUB_STEP_SUMMARY:-/dev/null}
worst=0

run() {
    local status=0
    "$@" || status=$?
    [ "$status" -le "$worst" ] || worst=$status
}

run cargo-effects "${check[@]}" --repository-paths --format github --fail-on "${FAIL_ON:-deny}"
# the same findings in other formats: they have been counted
cargo-effects "${check[@]}" --repository-paths --quiet --format markdown >>"$summary"
if [ -n "${SARIF:-}" ]; then
    # a file that comes into the workspace while it is checked would be news, and cost another analysis
    written=$(mktemp)
    cargo-effects "${check[@]}" --repository-paths --quiet --format sarif >"$written"
    cp "$written" "$SARIF"
    rm -f "$written"
fi
if [ -n "${BASE:-}" ]; then
    gate=()
    [ "${FAIL_ON_WEAKENED:-true}" != true ] || gate=(--fail-on weakened)
    run cargo-effects diff --format markdown "${gate[@]}" "${arguments[@]}" -- "$BASE" >>"$summary"
fi
exit "$worst"
