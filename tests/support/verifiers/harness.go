package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"receiver/webhook"
)

func main() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		f := strings.Split(lines.Text(), "\t")
		body, _ := base64.StdEncoding.DecodeString(f[2])
		now, _ := strconv.ParseInt(f[4], 10, 64)
		fmt.Println(webhook.Verify(f[0], f[1], body, f[3], time.Unix(now, 0)))
	}
}
