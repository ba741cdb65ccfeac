benchstat -format csv -row .name old.txt new.txt
