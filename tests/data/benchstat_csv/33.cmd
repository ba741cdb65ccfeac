benchstat -format csv split.txt
