benchstat -format csv -col note exact.txt
