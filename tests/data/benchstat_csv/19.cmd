benchstat -format csv -row /gomaxprocs -col .name gomax.txt
