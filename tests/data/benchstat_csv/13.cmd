benchstat -format csv -filter '/size:/^(4k|1M)$/ -/io:8 .unit:ns/op' old.txt new.txt
