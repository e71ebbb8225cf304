package runtime

import (
	"regexp"
	"strconv"
	"strings"
)

type format struct {
	noun string
	test func(string) bool
}

var formats = map[string]format{
	"uuid":          {"a UUID", uuid.MatchString},
	"email":         {"an email", isEmail},
	"uri":           {"a URI", func(s string) bool { return isURIReference(s, true) }},
	"uri-reference": {"a URI reference", func(s string) bool { return isURIReference(s, false) }},
	"date-time":     {"an RFC-3339 date-time", isDateTime},
}

var (
	uuid     = regexp.MustCompile(`\A[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\z`)
	dateTime = regexp.MustCompile(`\A([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))\z`)
	atom     = regexp.MustCompile("\\A[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+\\z")
	quoted   = regexp.MustCompile(`\A"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*"\z`)
	label    = regexp.MustCompile(`\A[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\z`)
	byteText = regexp.MustCompile(`\A(?:0|[1-9][0-9]{0,2})\z`)
	group    = regexp.MustCompile(`\A[0-9A-Fa-f]{1,4}\z`)
	uri      = regexp.MustCompile(`(?s)\A(?:([^:/?#]*)(:))?(?:(//)([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?\z`)
	scheme   = regexp.MustCompile(`\A[A-Za-z][A-Za-z0-9+.-]*\z`)
	path     = regexp.MustCompile(`\A(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*\z`)
	query    = regexp.MustCompile(`\A(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*\z`)
	user     = regexp.MustCompile(`\A(?:[A-Za-z0-9._~!$&'()*+,;=:-]|%[0-9A-Fa-f]{2})*\z`)
	host     = regexp.MustCompile(`\A(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*\z`)
	port     = regexp.MustCompile(`\A(?::[0-9]*)?\z`)
	future   = regexp.MustCompile(`\A[vV][0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+\z`)
)

func isDateTime(s string) bool {
	m := dateTime.FindStringSubmatch(s)
	if m == nil || len(s) > 256 {
		return false
	}
	n := make([]int, len(m))
	for i, part := range m {
		n[i], _ = strconv.Atoi(part)
	}
	year, month, day, hour, minute, second, offsetHour, offsetMinute := n[1], n[2], n[3], n[4], n[5], n[6], n[8], n[9]
	days := [13]int{0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
	if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
		days[2] = 29
	}
	if month < 1 || month > 12 || day < 1 || day > days[month] {
		return false
	}
	if hour > 23 || minute > 59 || offsetHour > 23 || offsetMinute > 59 {
		return false
	}
	offset := offsetHour*60 + offsetMinute
	if m[7] == "-" {
		offset = -offset
	}
	// A leap second is only where one can be, at 23:59:60 UTC.
	utc := ((hour*60+minute-offset)%1440 + 1440) % 1440
	return second < 60 || second == 60 && utc == 1439
}

func isEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 1 || len(s) > 1000 {
		return false
	}
	local, domain := s[:at], s[at+1:]
	if !every(strings.Split(local, "."), atom.MatchString) && !quoted.MatchString(local) {
		return false
	}
	if strings.HasPrefix(domain, "[") && strings.HasSuffix(domain, "]") {
		literal := strings.TrimSuffix(domain[1:], "]")
		if len(literal) >= 5 && strings.EqualFold(literal[:5], "IPv6:") {
			return isIPv6(literal[5:])
		}
		return isIPv4(literal)
	}
	return len(domain) <= 255 && every(strings.Split(domain, "."), func(part string) bool {
		return len(part) <= 63 && label.MatchString(part)
	})
}

func every(parts []string, test func(string) bool) bool {
	for _, part := range parts {
		if !test(part) {
			return false
		}
	}
	return true
}

func isIPv4(s string) bool {
	parts := strings.Split(s, ".")
	return len(parts) == 4 && every(parts, func(part string) bool {
		n, err := strconv.Atoi(part)
		return err == nil && n <= 255 && byteText.MatchString(part)
	})
}

func isIPv6(s string) bool {
	halves := strings.Split(s, "::")
	if len(s) > 45 || len(halves) > 2 {
		return false
	}
	if len(halves) == 1 {
		return groups(s, true) == 8
	}
	before, after := groups(halves[0], false), groups(halves[1], true)
	return before >= 0 && after >= 0 && before+after <= 7
}

// groups counts the 16-bit groups that a run of an IPv6 address stands for; below 0 it is none.
func groups(s string, mayEndInIPv4 bool) int {
	if s == "" {
		return 0
	}
	count := 0
	parts := strings.Split(s, ":")
	for i, part := range parts {
		switch {
		case group.MatchString(part):
			count++
		case mayEndInIPv4 && i == len(parts)-1 && isIPv4(part):
			count += 2
		default:
			return -100
		}
	}
	return count
}

func isURIReference(s string, schemeRequired bool) bool {
	m := uri.FindStringSubmatch(s)
	if m == nil || m[2] == "" && schemeRequired || m[2] != "" && !scheme.MatchString(m[1]) {
		return false
	}
	if m[3] != "" && !isAuthority(m[4]) {
		return false
	}
	return path.MatchString(m[5]) && query.MatchString(m[6]) && query.MatchString(m[7])
}

func isAuthority(s string) bool {
	if before, after, found := strings.Cut(s, "@"); found {
		if !user.MatchString(before) {
			return false
		}
		s = after
	}
	end := len(s)
	if strings.HasPrefix(s, "[") {
		end = strings.IndexByte(s, ']') + 1
	} else if colon := strings.LastIndexByte(s, ':'); colon >= 0 {
		end = colon
	}
	if !port.MatchString(s[end:]) {
		return false
	}
	if !strings.HasPrefix(s, "[") {
		return host.MatchString(s[:end])
	}
	literal := s[1 : end-1]
	return isIPv6(literal) || future.MatchString(literal)
}
