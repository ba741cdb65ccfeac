benchstat -format csv zero.txt
